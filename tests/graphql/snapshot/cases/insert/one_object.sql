WITH affected_1 AS (
  INSERT INTO public.book (author_id, title, pages, price, mood, tags, extra)
  VALUES (
    CAST($1 AS integer),
    CAST($2 AS character varying),
    CAST(NULL AS integer),
    CAST($3 AS numeric),
    CAST($4 AS public.mood),
    CAST($5 AS text[]),
    CAST($6 AS jsonb)
  )
  RETURNING public.book.id AS id,
    public.book.title AS title,
    public.book.pages AS pages,
    public.book.price AS price,
    public.book.mood AS mood,
    public.book.tags AS tags,
    public.book.extra AS extra,
    public.book.author_id AS author_id,
    CAST(ROW("book".*) AS "public"."book") AS row
)
SELECT CAST(
  (
    SELECT json_build_object(
      'affectedCount', count(*),
      'records', coalesce(
        json_agg(
          json_build_object(
            'id', affected_1.id,
            'nodeId', translate(
              encode(
                convert_to(
                  CAST(jsonb_build_array('public', 'book', affected_1.id) AS TEXT), 'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            ),
            'title', affected_1.title,
            'pages', affected_1.pages,
            'price', CAST(affected_1.price AS TEXT),
            'mood',
            CASE
            WHEN (CAST(affected_1.mood AS TEXT) = 'sad') THEN 'BLUE'
            ELSE CAST(affected_1.mood AS TEXT)
            END,
              'tags',
            CASE
            WHEN (coalesce(array_ndims(affected_1.tags), 1) = 1) THEN affected_1.tags
            END,
              'extra', affected_1.extra #>> '{}',
              'label', "public"."_label"(affected_1.row),
              'author', (
                SELECT json_build_object(
                  'name', author_2.name,
                  'bookCollection', (
                    WITH page_3 AS (
                      SELECT book_4.title AS title
                      FROM public.book AS book_4
                      WHERE book_4.author_id = author_2.id
                      ORDER BY book_4.id ASC NULLS LAST
                      LIMIT 30
                    )
                    SELECT json_build_object(
                      'edges', coalesce(
                        json_agg(
                          json_build_object('node', json_build_object('title', page_3.title))
                        ),
                        '[]'
                      )
                    ) AS json_build_object_3
                    FROM page_3
                  )
                ) AS json_build_object_2
                FROM public.author AS author_2
                WHERE author_2.id = affected_1.author_id
              )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["1", "New", "12.30", "sad", "{\"a\",\"b,c\"}", "{\"k\": [1]}"]

-- afterwards:
-- [1, 1, "First", 100, null, null, null, null]
-- [2, 1, "New", null, "12.30", "sad", ["a", "b,c"], {"k": [1]}]
