SELECT CAST(
  (
    WITH page_1 AS (
      SELECT item_2.id AS id FROM public.item AS item_2 ORDER BY item_2.id ASC NULLS LAST LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(json_build_object('node', json_build_object('id', page_1.id))), '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
