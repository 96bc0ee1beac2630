SELECT CAST(
  (
    WITH page_1 AS (
      SELECT author_4.name AS name,
        author_4.tenant_id AS tenant_id,
        author_4.id AS id
      FROM public.author AS author_4
      ORDER BY author_4.tenant_id ASC NULLS LAST,
        author_4.tenant_id ASC NULLS LAST,
        author_4.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'name', page_1.name,
              'bookCollection', (
                WITH page_2 AS (
                  SELECT book_3.title AS title
                  FROM public.book AS book_3
                  WHERE (book_3.tenant_id = page_1.tenant_id)
                  AND (book_3.author_id = page_1.id)
                  ORDER BY book_3.tenant_id ASC NULLS LAST,
                    book_3.id ASC NULLS LAST
                  LIMIT 30
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(json_build_object('node', json_build_object('title', page_2.title))),
                    '[]'
                  )
                ) AS json_build_object_2
                FROM page_2
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
-- []
