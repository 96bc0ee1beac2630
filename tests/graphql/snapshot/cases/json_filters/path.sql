SELECT (
  WITH page_1 AS (
    SELECT account_2.id AS id
    FROM public.account AS account_2
    WHERE (
      CASE
      WHEN (pg_catalog.jsonb_typeof(account_2.data #> CAST($1 AS text[])) = 'number') THEN CAST(
        account_2.data #>> CAST($1 AS text[]) AS numeric
      )
      END >= CAST($2 AS numeric)
    )
    AND (
      CASE
      WHEN (pg_catalog.jsonb_typeof(account_2.data #> CAST($3 AS text[])) = 'string') THEN CAST(
        account_2.data #>> CAST($3 AS text[]) AS text
      )
      END ILIKE CAST($4 AS text)
    )
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
      WHERE (account_4.log #>> CAST($5 AS text[])) IS NOT NULL
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
-- ["{\"age\"}", "18", "{\"name\"}", "a%", "{\"last\",\"0\"}"]
