SELECT CAST(
  (
    WITH page_1 AS (
      SELECT thing_2.id AS id,
        thing_2.mood AS mood
      FROM public.thing AS thing_2
      WHERE thing_2.mood = any(CAST($1 AS public.mood[]))
      ORDER BY thing_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'id', page_1.id,
              'mood',
              CASE
              WHEN (CAST(page_1.mood AS TEXT) = 'so so') THEN 'so_so'
              ELSE CAST(page_1.mood AS TEXT)
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
          thing_4.token AS token
        FROM public.thing AS thing_4
        WHERE thing_4.token = CAST($2 AS uuid)
        ORDER BY thing_4.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object('node', json_build_object('id', page_3.id, 'token', page_3.token))
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
        SELECT thing_6.id AS id,
          thing_6.good AS good
        FROM public.thing AS thing_6
        WHERE thing_6.good = CAST($3 AS boolean)
        ORDER BY thing_6.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object('node', json_build_object('id', page_5.id, 'good', page_5.good))
          ),
          '[]'
        )
      ) AS json_build_object_3
      FROM page_5
    ) AS TEXT
  ) AS anon_3,
  CAST(
    (
      WITH page_7 AS (
        SELECT thing_8.id AS id,
          thing_8.score AS score
        FROM public.thing AS thing_8
        WHERE thing_8.score < CAST($4 AS numeric(6,2))
        ORDER BY thing_8.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object(
              'node', json_build_object('id', page_7.id, 'score', CAST(page_7.score AS TEXT))
            )
          ),
          '[]'
        )
      ) AS json_build_object_4
      FROM page_7
    ) AS TEXT
  ) AS anon_4,
  CAST(
    (
      WITH page_9 AS (
        SELECT thing_10.id AS id,
          thing_10.seen AS seen
        FROM public.thing AS thing_10
        WHERE thing_10.seen >= CAST($5 AS timestamp with time zone)
        ORDER BY thing_10.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object('node', json_build_object('id', page_9.id, 'seen', page_9.seen))
          ),
          '[]'
        )
      ) AS json_build_object_5
      FROM page_9
    ) AS TEXT
  ) AS anon_5,
  CAST(
    (
      WITH page_11 AS (
        SELECT thing_12.id AS id,
          thing_12.span AS span
        FROM public.thing AS thing_12
        WHERE thing_12.span = CAST($6 AS int4range)
        ORDER BY thing_12.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object('node', json_build_object('id', page_11.id, 'span', page_11.span))
          ),
          '[]'
        )
      ) AS json_build_object_6
      FROM page_11
    ) AS TEXT
  ) AS anon_6;
-- ["{\"so so\",\"sad\"}", "00000000-0000-0000-0000-000000000002", "false", "0", "2026-03-01T00:00:00Z", "[1,5)"]
