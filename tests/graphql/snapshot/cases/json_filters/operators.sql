SELECT (
  WITH page_1 AS (
    SELECT account_2.id AS id
    FROM public.account AS account_2
    WHERE (account_2.data @> CAST($1 AS jsonb))
    AND (account_2.data ? CAST($2 AS text))
    AND (account_2.data ?& CAST($3 AS text[]))
    ORDER BY account_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT account_4.id AS id
      FROM public.account AS account_4
      WHERE (account_4.data @@ CAST($4 AS jsonpath))
      AND NOT (account_4.data @? CAST($5 AS jsonpath))
      ORDER BY account_4.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2;
-- ["{\"tags\": [\"a\"]}", "on", "{\"name\",\"age\"}", "$.age >= 18", "$.off"]
