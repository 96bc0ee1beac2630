SELECT (
  WITH page_1 AS (SELECT item_2.id AS id FROM public.item AS item_2 ORDER BY item_2.id ASC LIMIT 30)
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
