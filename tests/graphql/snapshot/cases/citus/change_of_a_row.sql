SELECT pg_catalog.num_nulls(
  "graphql".set_local(CAST(ARRAY['portico.k1'] AS text[]), CAST(ARRAY[texts_3.text_0] AS text[]))
) AS num_nulls_1
FROM (
  SELECT CAST(
    coalesce(CAST(pg_catalog.array_agg(CAST(ROW("book_1".*) AS "public"."book")) AS TEXT), '{}') AS TEXT
  ) AS text_0
  FROM public.book AS book_1
  WHERE (book_1.tenant_id = CAST($1 AS integer))
  AND (book_1.id = CAST($1 AS integer))
  LIMIT ALL
  OFFSET 0
) AS texts_3,
  (SELECT 1 FROM pg_catalog.pg_am LIMIT 1) AS here_4;
-- ["1"]

SELECT (
  SELECT (
    SELECT (
      '{"title" : ' || coalesce(CAST(pg_catalog.to_json(mark_5.title) AS TEXT), 'null') || ', "stock" : ' || coalesce(
        CAST(mark_5.stock AS TEXT), 'null'
      ) || '}'
    ) AS json_1
    FROM "public"."mark"(CAST(ROW("read_2".*) AS "public"."book"), "by" => CAST($1 AS integer)) AS mark_5
    WHERE (ROW("mark_5".*) IS NULL) IS false
    LIMIT 1
  ) AS anon_2
  FROM pg_catalog.unnest(CAST(pg_catalog.current_setting('portico.k1') AS "public"."book"[])) AS read_2
) AS anon_1;
-- ["3"]
