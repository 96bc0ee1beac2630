SELECT CAST(
  (
    WITH page_1 AS (
      SELECT item_2.id AS id
      FROM public.item AS item_2
      WHERE item_2.n IS NULL
      ORDER BY item_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(json_build_object('node', json_build_object('id', page_1.id))), '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      WITH page_3 AS (
        SELECT item_4.id AS id
        FROM public.item AS item_4
        WHERE item_4.n IS NOT NULL
        ORDER BY item_4.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_3.id))), '[]'
        )
      ) AS json_build_object_2
      FROM page_3
    ) AS TEXT
  ) AS anon_2,
  CAST(
    (
      WITH page_5 AS (
        SELECT item_6.id AS id
        FROM public.item AS item_6
        WHERE CAST(NULL AS boolean)
        ORDER BY item_6.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_5.id))), '[]'
        )
      ) AS json_build_object_3
      FROM page_5
    ) AS TEXT
  ) AS anon_3,
  CAST(
    (
      WITH page_7 AS (
        SELECT item_8.id AS id
        FROM public.item AS item_8
        WHERE CAST(NULL AS boolean)
        ORDER BY item_8.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_7.id))), '[]'
        )
      ) AS json_build_object_4
      FROM page_7
    ) AS TEXT
  ) AS anon_4,
  CAST(
    (
      WITH page_9 AS (
        SELECT item_10.id AS id
        FROM public.item AS item_10
        ORDER BY item_10.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_9.id))), '[]'
        )
      ) AS json_build_object_5
      FROM page_9
    ) AS TEXT
  ) AS anon_5;
-- []
