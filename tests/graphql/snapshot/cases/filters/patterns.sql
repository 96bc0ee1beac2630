SELECT (
  WITH page_1 AS (
    SELECT thing_2.id AS id
    FROM public.thing AS thing_2
    WHERE thing_2.name ^@ CAST($1 AS text)
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
      WHERE thing_4.name LIKE CAST($1 AS text)
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
      WHERE thing_6.name ILIKE CAST($2 AS text)
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
      WHERE thing_8.name ~ CAST($3 AS text)
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
      WHERE thing_10.name ~* CAST($4 AS text)
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
  ) AS anon_5;
-- ["A%", "%O%", "^[AB].*[ab]$", "^b"]
