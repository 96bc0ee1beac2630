SELECT CAST(
  (
    WITH page_1 AS (
      SELECT author_6.name AS name,
        author_6.tenant_id AS tenant_id,
        author_6.id AS id
      FROM public.author AS author_6
      WHERE (author_6.tenant_id = CAST($1 AS integer))
      AND (
        EXISTS (
          SELECT
          FROM public.book AS book_7
          WHERE (
            (book_7.tenant_id = author_6.tenant_id) AND (book_7.tenant_id = CAST($1 AS integer))
          )
          AND (book_7.author_id = author_6.id)
          AND (book_7.title > CAST($2 AS text))
        )
      )
      ORDER BY author_6.tenant_id ASC NULLS LAST,
        author_6.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'name', page_1.name,
              'tenant', (
                SELECT json_build_object('name', tenant_2.name) AS json_build_object_2
                FROM public.tenant AS tenant_2
                WHERE ((tenant_2.id = page_1.tenant_id) AND (tenant_2.id = CAST($1 AS integer)))
              ),
              'bookCollection', (
                WITH page_3 AS (
                  SELECT book_5.title AS title,
                    book_5.tenant_id AS tenant_id,
                    book_5.author_id AS author_id
                  FROM public.book AS book_5
                  WHERE (
                    (book_5.tenant_id = page_1.tenant_id)
                    AND (book_5.tenant_id = CAST($1 AS integer))
                  )
                  AND (book_5.author_id = page_1.id)
                  ORDER BY book_5.tenant_id ASC NULLS LAST,
                    book_5.id ASC NULLS LAST
                  LIMIT 30
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(
                      json_build_object(
                        'node', json_build_object(
                          'title', page_3.title,
                          'author', (
                            SELECT json_build_object('name', author_4.name) AS json_build_object_4
                            FROM public.author AS author_4
                            WHERE (
                              (author_4.tenant_id = page_3.tenant_id)
                              AND (author_4.tenant_id = CAST($1 AS integer))
                            )
                            AND (author_4.id = page_3.author_id)
                          )
                        )
                      )
                    ),
                    '[]'
                  )
                ) AS json_build_object_3
                FROM page_3
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
-- ["1", "A"]
