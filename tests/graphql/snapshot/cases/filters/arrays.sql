SELECT CAST(
  (
    WITH page_1 AS (
      SELECT thing_2.id AS id,
        thing_2.tags AS tags
      FROM public.thing AS thing_2
      WHERE thing_2.tags @> CAST($1 AS text[])
      ORDER BY thing_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'id', page_1.id,
              'tags',
              CASE
              WHEN (coalesce(array_ndims(page_1.tags), 1) = 1) THEN page_1.tags
              END
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      WITH page_3 AS (
        SELECT thing_4.id AS id,
          thing_4.sizes AS sizes
        FROM public.thing AS thing_4
        WHERE thing_4.sizes <@ CAST($2 AS integer[])
        ORDER BY thing_4.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object(
              'node', json_build_object(
                'id', page_3.id,
                'sizes',
                CASE
                WHEN (coalesce(array_ndims(page_3.sizes), 1) = 1) THEN page_3.sizes
                END
              )
            )
          ),
          '[]'
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
        WHERE thing_6.tags && CAST($3 AS text[])
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
        WHERE thing_8.sizes = CAST($4 AS integer[])
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
  ) AS anon_4;
-- ["{\"red\"}", "{\"1\",\"2\",\"3\"}", "{\"blue\",\"green\"}", "{\"1\",\"2\"}"]
