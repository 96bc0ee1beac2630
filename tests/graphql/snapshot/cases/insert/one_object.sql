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
SELECT (
  SELECT (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || ', "records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array('public', 'book', affected_1.id) AS TEXT),
                      'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "title" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_1.title) AS TEXT), 'null'
          ) || ', "pages" : ' || coalesce(CAST(affected_1.pages AS TEXT), 'null') || ', "price" : ' || coalesce(
            ('"' || CAST(affected_1.price AS TEXT) || '"'), 'null'
          ) || ', "mood" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (CAST(affected_1.mood AS TEXT) = 'sad') THEN 'BLUE'
                ELSE CAST(affected_1.mood AS TEXT)
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "tags" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(affected_1.tags), 1) = 1) THEN affected_1.tags
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "extra" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_1.extra #>> '{}') AS TEXT), 'null'
          ) || ', "label" : ' || coalesce(
            CAST(pg_catalog.to_json("public"."_label"(affected_1.row)) AS TEXT), 'null'
          ) || ', "author" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_2.name) AS TEXT), 'null') || ', "bookCollection" : ' || coalesce(
                  (
                    WITH page_3 AS (
                      SELECT book_4.title AS title
                      FROM public.book AS book_4
                      WHERE book_4.author_id = author_2.id
                      ORDER BY book_4.id ASC
                      LIMIT 30
                    )
                    SELECT (
                      '{"edges" : ' || coalesce(
                        '[' || pg_catalog.string_agg(
                          (
                            '{"node" : {"title" : ' || coalesce(
                              CAST(pg_catalog.to_json(page_3.title) AS TEXT), 'null'
                            ) || '}}'
                          ), ', '
                        ) || ']',
                        '[]'
                      ) || '}'
                    )
                    FROM page_3
                  ),
                  'null'
                ) || '}'
              )
              FROM public.author AS author_2
              WHERE author_2.id = affected_1.author_id
            ),
            'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["1", "New", "12.30", "sad", "{\"a\",\"b,c\"}", "{\"k\": [1]}"]

-- afterwards:
-- [1, 1, "First", 100, null, null, null, null]
-- [2, 1, "New", null, "12.30", "sad", ["a", "b,c"], {"k": [1]}]
