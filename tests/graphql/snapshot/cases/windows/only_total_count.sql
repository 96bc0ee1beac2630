SELECT CAST(
  json_build_object(
    'totalCount', (
      SELECT count(*) AS count_1 FROM public.item AS item_1 WHERE item_1.rank IS NOT NULL
    )
  ) AS TEXT
) AS anon_1;
-- []
