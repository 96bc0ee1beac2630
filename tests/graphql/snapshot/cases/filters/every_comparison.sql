SELECT (
  WITH page_1 AS (
    SELECT thing_2.id AS id
    FROM public.thing AS thing_2
    WHERE thing_2.name = CAST($1 AS character varying)
    ORDER BY thing_2.id ASC
    LIMIT 30
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
      SELECT thing_4.id AS id
      FROM public.thing AS thing_4
      WHERE thing_4.name <> CAST($1 AS character varying)
      ORDER BY thing_4.id ASC
      LIMIT 30
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
      SELECT thing_6.id AS id
      FROM public.thing AS thing_6
      WHERE (thing_6.id > CAST($2 AS integer))
      AND (thing_6.id >= CAST($3 AS integer))
      AND (thing_6.id < CAST($4 AS integer))
      AND (thing_6.id <= CAST($5 AS integer))
      ORDER BY thing_6.id ASC
      LIMIT 30
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
      SELECT thing_8.id AS id
      FROM public.thing AS thing_8
      WHERE thing_8.big = any(CAST($6 AS bigint[]))
      ORDER BY thing_8.id ASC
      LIMIT 30
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
      WHERE thing_10.score IS NULL
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
      WHERE thing_12.score IS NOT NULL
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
  ) AS anon_6;
-- ["Anna", "0", "1", "9", "2", "{\"2\",\"9007199254740993\"}"]
