SELECT (
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(('{"node" : ' || coalesce(page_7.node, 'null') || '}'), ', ') || ']',
      '[]'
    ) || '}'
  )
  FROM (
    SELECT (
      '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_1.name) AS TEXT), 'null') || ', "tenant" : ' || coalesce(
        (
          SELECT (
            '{"name" : ' || coalesce(CAST(pg_catalog.to_json(tenant_3.name) AS TEXT), 'null') || '}'
          )
          FROM public.tenant AS tenant_3
          WHERE ((tenant_3.id = author_1.tenant_id) AND (tenant_3.id = CAST($1 AS integer)))
        ),
        'null'
      ) || ', "bookCollection" : ' || coalesce(
        (
          SELECT (
            '{"edges" : ' || coalesce(
              '[' || pg_catalog.string_agg(
                ('{"node" : ' || coalesce(page_6.node, 'null') || '}'), ', '
              ) || ']',
              '[]'
            ) || '}'
          )
          FROM (
            SELECT (
              '{"title" : ' || coalesce(CAST(pg_catalog.to_json(book_4.title) AS TEXT), 'null') || ', "author" : ' || coalesce(
                (
                  SELECT (
                    '{"name" : ' || coalesce(
                      CAST(pg_catalog.to_json(author_5.name) AS TEXT), 'null'
                    ) || '}'
                  )
                  FROM public.author AS author_5
                  WHERE (
                    (author_5.tenant_id = book_4.tenant_id)
                    AND (author_5.tenant_id = CAST($1 AS integer))
                  )
                  AND (author_5.id = book_4.author_id)
                ),
                'null'
              ) || '}'
            ) AS node
            FROM public.book AS book_4
            WHERE (
              (book_4.tenant_id = author_1.tenant_id) AND (book_4.tenant_id = CAST($1 AS integer))
            )
            AND (book_4.author_id = author_1.id)
            ORDER BY book_4.tenant_id ASC,
              book_4.id ASC
            LIMIT 30
          ) AS page_6
        ),
        'null'
      ) || '}'
    ) AS node
    FROM public.author AS author_1
    WHERE (author_1.tenant_id = CAST($1 AS integer))
    AND (
      EXISTS (
        SELECT
        FROM public.book AS book_2
        WHERE ((book_2.tenant_id = author_1.tenant_id) AND (book_2.tenant_id = CAST($1 AS integer)))
        AND (book_2.author_id = author_1.id)
        AND (book_2.title > CAST($2 AS text))
      )
    )
    ORDER BY author_1.tenant_id ASC,
      author_1.id ASC
    LIMIT 30
  ) AS page_7
) AS anon_1;
-- ["1", "A"]
