SELECT CAST(
  (
    WITH page_1 AS (
      SELECT thing_2.id AS id
      FROM public.thing AS thing_2
      ORDER BY thing_2.id ASC NULLS LAST
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
        SELECT thing_4.id AS id
        FROM public.thing AS thing_4
        ORDER BY thing_4.id ASC NULLS LAST
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
        SELECT thing_6.id AS id
        FROM public.thing AS thing_6
        ORDER BY thing_6.id ASC NULLS LAST
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
        SELECT thing_8.id AS id
        FROM public.thing AS thing_8
        ORDER BY thing_8.id ASC NULLS LAST
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
        SELECT thing_10.id AS id
        FROM public.thing AS thing_10
        WHERE CAST(NULL AS boolean)
        ORDER BY thing_10.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_9.id))), '[]'
        )
      ) AS json_build_object_5
      FROM page_9
    ) AS TEXT
  ) AS anon_5,
  CAST(
    (
      WITH page_11 AS (
        SELECT thing_12.id AS id
        FROM public.thing AS thing_12
        WHERE NOT CAST(NULL AS boolean)
        ORDER BY thing_12.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_11.id))), '[]'
        )
      ) AS json_build_object_6
      FROM page_11
    ) AS TEXT
  ) AS anon_6,
  CAST(
    (
      WITH page_13 AS (
        SELECT thing_14.id AS id
        FROM public.thing AS thing_14
        WHERE thing_14.id = any(CAST($1 AS integer[]))
        ORDER BY thing_14.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_13.id))), '[]'
        )
      ) AS json_build_object_7
      FROM page_13
    ) AS TEXT
  ) AS anon_7,
  CAST(
    (
      WITH page_15 AS (
        SELECT thing_16.id AS id
        FROM public.thing AS thing_16
        WHERE CAST(NULL AS boolean)
        ORDER BY thing_16.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_15.id))), '[]'
        )
      ) AS json_build_object_8
      FROM page_15
    ) AS TEXT
  ) AS anon_8;
-- ["{}"]
