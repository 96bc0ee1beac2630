SELECT CAST(
  (
    WITH page_1 AS (
      SELECT account_2.id AS id
      FROM public.account AS account_2
      ORDER BY account_2.id ASC NULLS LAST
      LIMIT 1
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
