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
    WHERE book_1.tenant_id = CAST($1 AS integer)
    ORDER BY book_1.tenant_id ASC,
      book_1.id ASC
    LIMIT 30
  ) AS page_2
) AS anon_1;
-- ["1"]

SELECT (
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(('{"node" : ' || coalesce(page_3.node, 'null') || '}'), ', ') || ']',
      '[]'
    ) || '}'
  )
  FROM (
    SELECT (
      '{"title" : ' || coalesce(CAST(pg_catalog.to_json(books_of_1.title) AS TEXT), 'null') || '}'
    ) AS node
    FROM (
      SELECT numbered_2.tenant_id AS tenant_id,
        numbered_2.id AS id,
        numbered_2.author_id AS author_id,
        numbered_2.title AS title,
        numbered_2.stock AS stock
      FROM "public"."books_of"("tenant" => CAST($1 AS integer))
      WITH ORDINALITY AS numbered_2
    ) AS books_of_1
    ORDER BY books_of_1.tenant_id ASC NULLS LAST,
      books_of_1.id ASC NULLS LAST
    LIMIT 30
  ) AS page_3
) AS anon_1;
-- ["1"]
