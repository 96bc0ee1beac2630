SELECT CAST(
  (
    WITH page_1 AS (
      SELECT author_3.name AS name,
        author_3.id AS id
      FROM public.author AS author_3
      ORDER BY author_3.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'name', page_1.name,
              'bookCollection', json_build_object(
                'aggregate', (
                  SELECT json_build_object(
                    'n', count(*), 's', json_build_object('p', "pg_catalog"."sum"(book_2.pages))
                  ) AS json_build_object_2
                  FROM public.book AS book_2
                  WHERE (book_2.author_id = page_1.id)
                  AND (book_2.title <> CAST($1 AS text))
                  HAVING true
                )
              )
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- ["A"]
