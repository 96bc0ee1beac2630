SELECT (
  WITH page_1 AS (
    SELECT account_2.id AS id FROM public.account AS account_2 ORDER BY account_2.id ASC LIMIT 1
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
) AS anon_1;
-- []
