SELECT CAST(
  (
    WITH page_2 AS (
      SELECT book_4.id AS id
      FROM public.book AS book_4
      WHERE book_4.pages >= CAST($1 AS integer)
      ORDER BY book_4.id ASC NULLS LAST
      LIMIT 1
    )
    SELECT json_build_object(
      'aggregate', (
        SELECT json_build_object(
          'count', count(*),
          'sum', json_build_object(
            'pages', "pg_catalog"."sum"(book_1.pages), 'price', "pg_catalog"."sum"(book_1.price)
          ),
          'avg', json_build_object('pages', "pg_catalog"."avg"(CAST(book_1.pages AS numeric))),
          'min', json_build_object(
            'title', "pg_catalog"."min"(book_1.title),
            'published', "pg_catalog"."min"(book_1.published)
          ),
          'max', json_build_object(
            'id', "pg_catalog"."max"(book_1.id), 'price', "pg_catalog"."max"(book_1.price)
          )
        ) AS json_build_object_2
        FROM public.book AS book_1
        WHERE book_1.pages >= CAST($1 AS integer)
        HAVING true
      ),
      'edges', coalesce(
        json_agg(json_build_object('node', json_build_object('id', page_2.id))), '[]'
      ),
      'totalCount', (
        SELECT count(*) AS count_1
        FROM public.book AS book_3
        WHERE book_3.pages >= CAST($1 AS integer)
      )
    ) AS json_build_object_1
    FROM page_2
  ) AS TEXT
) AS anon_1;
-- ["100"]
