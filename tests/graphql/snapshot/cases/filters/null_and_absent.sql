SELECT (
  WITH page_1 AS (
    SELECT thing_2.id AS id FROM public.thing AS thing_2 ORDER BY thing_2.id ASC LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT thing_4.id AS id FROM public.thing AS thing_4 ORDER BY thing_4.id ASC LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2,
  (
    WITH page_5 AS (
      SELECT thing_6.id AS id FROM public.thing AS thing_6 ORDER BY thing_6.id ASC LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_5.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_5
  ) AS anon_3,
  (
    WITH page_7 AS (
      SELECT thing_8.id AS id FROM public.thing AS thing_8 ORDER BY thing_8.id ASC LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_7.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_7
  ) AS anon_4,
  (
    WITH page_9 AS (
      SELECT thing_10.id AS id
      FROM public.thing AS thing_10
      WHERE CAST(NULL AS boolean)
      ORDER BY thing_10.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_9.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_9
  ) AS anon_5,
  (
    WITH page_11 AS (
      SELECT thing_12.id AS id
      FROM public.thing AS thing_12
      WHERE NOT CAST(NULL AS boolean)
      ORDER BY thing_12.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_11.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_11
  ) AS anon_6,
  (
    WITH page_13 AS (
      SELECT thing_14.id AS id
      FROM public.thing AS thing_14
      WHERE thing_14.id = any(CAST($1 AS integer[]))
      ORDER BY thing_14.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_13.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_13
  ) AS anon_7,
  (
    WITH page_15 AS (
      SELECT thing_16.id AS id
      FROM public.thing AS thing_16
      WHERE CAST(NULL AS boolean)
      ORDER BY thing_16.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_15.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_15
  ) AS anon_8;
-- ["{}"]
