SELECT (
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(('{"node" : ' || coalesce(page_4.node, 'null') || '}'), ', ') || ']',
      '[]'
    ) || '}'
  )
  FROM (
    SELECT (
      '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_1.name) AS TEXT), 'null') || ', "bookCollection" : ' || coalesce(
        (
          SELECT (
            '{"edges" : ' || coalesce(
              '[' || pg_catalog.string_agg(
                ('{"node" : ' || coalesce(page_3.node, 'null') || '}'), ', '
              ) || ']',
              '[]'
            ) || '}'
          )
          FROM (
            SELECT (
              '{"title" : ' || coalesce(CAST(pg_catalog.to_json(book_2.title) AS TEXT), 'null') || '}'
            ) AS node
            FROM public.book AS book_2
            WHERE (
              (book_2.tenant_id = author_1.tenant_id) AND (book_2.tenant_id = CAST($1 AS integer))
            )
            AND (book_2.author_id = author_1.id)
            ORDER BY book_2.tenant_id ASC,
              book_2.id ASC
            LIMIT 30
          ) AS page_3
        ),
        'null'
      ) || '}'
    ) AS node
    FROM public.author AS author_1
    WHERE author_1.tenant_id = CAST($1 AS integer)
    ORDER BY author_1.tenant_id ASC,
      author_1.id ASC
    LIMIT 30
  ) AS page_4
) AS anon_1;
-- ["1"]
