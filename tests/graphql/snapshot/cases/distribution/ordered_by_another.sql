SELECT (
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(('{"node" : ' || coalesce(page_2.node, 'null') || '}'), ', ') || ']',
      '[]'
    ) || '}'
  )
  FROM (
    SELECT (
      '{"title" : ' || coalesce(CAST(pg_catalog.to_json(book_1.title) AS TEXT), 'null') || '}'
    ) AS node
    FROM public.book AS book_1
    LEFT OUTER JOIN public.author AS book_1_r1 ON (
      (book_1_r1.tenant_id = book_1.tenant_id) AND (book_1_r1.tenant_id = CAST($1 AS integer))
    )
    AND (book_1_r1.id = book_1.author_id)
    WHERE book_1.tenant_id = CAST($1 AS integer)
    ORDER BY book_1_r1.name DESC NULLS LAST,
      book_1.id ASC,
      book_1.tenant_id ASC,
      book_1.id ASC
    LIMIT 30
  ) AS page_2
) AS anon_1;
-- ["1"]
