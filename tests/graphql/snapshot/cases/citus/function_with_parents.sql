SELECT pg_catalog.num_nulls(
  "graphql".set_local(CAST(ARRAY['portico.k1'] AS text[]), CAST(ARRAY[texts_7.text_0] AS text[]))
) AS num_nulls_1
FROM (
  SELECT CAST(
    coalesce(
      CAST(pg_catalog.array_agg(CAST(ROW("books_of_5".*) AS "public"."book")) AS TEXT), '{}'
    ) AS TEXT
  ) AS text_0
  FROM (
    SELECT numbered_6.tenant_id AS tenant_id,
      numbered_6.id AS id,
      numbered_6.author_id AS author_id,
      numbered_6.title AS title,
      numbered_6.stock AS stock
    FROM "public"."books_of"("tenant" => CAST($1 AS integer))
    WITH ORDINALITY AS numbered_6
  ) AS books_of_5
  LIMIT ALL
  OFFSET 0
) AS texts_7,
  (SELECT 1 FROM pg_catalog.pg_am LIMIT 1) AS here_8;
-- ["1"]

SELECT (
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(('{"node" : ' || coalesce(page_4.node, 'null') || '}'), ', ') || ']',
      '[]'
    ) || '}'
  )
  FROM (
    SELECT (
      '{"title" : ' || coalesce(CAST(pg_catalog.to_json(books_of_1.title) AS TEXT), 'null') || ', "author" : ' || coalesce(
        (
          SELECT (
            '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_3.name) AS TEXT), 'null') || '}'
          )
          FROM public.author AS author_3
          WHERE (
            (author_3.tenant_id = books_of_1.tenant_id)
            AND (author_3.tenant_id = CAST($1 AS integer))
          )
          AND (author_3.id = books_of_1.author_id)
        ),
        'null'
      ) || '}'
    ) AS node
    FROM pg_catalog.unnest(CAST(pg_catalog.current_setting('portico.k1') AS "public"."book"[])) AS books_of_1
    WHERE books_of_1.tenant_id = CAST($1 AS integer)
    ORDER BY books_of_1.tenant_id ASC NULLS LAST,
      books_of_1.id ASC NULLS LAST
    LIMIT 30
  ) AS page_4
) AS anon_1;
-- ["1"]
