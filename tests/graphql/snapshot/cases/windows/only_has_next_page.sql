SELECT (
  WITH page_1 AS (
    SELECT picked_3.one AS one,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (SELECT 1 AS one FROM public.item AS item_2 ORDER BY item_2.id ASC LIMIT 4) AS picked_3
  )
  SELECT (
    '{"pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 3) AS TEXT), 'null'
    ) || '}}'
  )
  FROM page_1
) AS anon_1;
-- []
