SELECT (
  WITH page_1 AS (
    SELECT thing_2.id AS id,
      thing_2.mood AS mood
    FROM public.thing AS thing_2
    WHERE thing_2.mood = any(CAST($1 AS public.mood[]))
    ORDER BY thing_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "mood" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (CAST(page_1.mood AS TEXT) = 'so so') THEN 'so_so'
                ELSE CAST(page_1.mood AS TEXT)
                END
              ) AS TEXT
            ),
            'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT thing_4.id AS id,
        thing_4.token AS token
      FROM public.thing AS thing_4
      WHERE thing_4.token = CAST($2 AS uuid)
      ORDER BY thing_4.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || ', "token" : ' || coalesce(
              ('"' || CAST(page_3.token AS TEXT) || '"'), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2,
  (
    WITH page_5 AS (
      SELECT thing_6.id AS id,
        thing_6.good AS good
      FROM public.thing AS thing_6
      WHERE thing_6.good = CAST($3 AS boolean)
      ORDER BY thing_6.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_5.id AS TEXT), 'null') || ', "good" : ' || coalesce(
              CAST(page_5.good AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_5
  ) AS anon_3,
  (
    WITH page_7 AS (
      SELECT thing_8.id AS id,
        thing_8.score AS score
      FROM public.thing AS thing_8
      WHERE thing_8.score < CAST($4 AS numeric)
      ORDER BY thing_8.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_7.id AS TEXT), 'null') || ', "score" : ' || coalesce(
              ('"' || CAST(page_7.score AS TEXT) || '"'), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_7
  ) AS anon_4,
  (
    WITH page_9 AS (
      SELECT thing_10.id AS id,
        thing_10.seen AS seen
      FROM public.thing AS thing_10
      WHERE thing_10.seen >= CAST($5 AS timestamp with time zone)
      ORDER BY thing_10.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_9.id AS TEXT), 'null') || ', "seen" : ' || coalesce(
              CAST(pg_catalog.to_json(page_9.seen) AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_9
  ) AS anon_5,
  (
    WITH page_11 AS (
      SELECT thing_12.id AS id,
        thing_12.span AS span
      FROM public.thing AS thing_12
      WHERE thing_12.span = CAST($6 AS int4range)
      ORDER BY thing_12.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_11.id AS TEXT), 'null') || ', "span" : ' || coalesce(
              CAST(pg_catalog.to_json(page_11.span) AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_11
  ) AS anon_6;
-- ["{\"so so\",\"sad\"}", "00000000-0000-0000-0000-000000000002", "false", "0", "2026-03-01T00:00:00Z", "[1,5)"]
