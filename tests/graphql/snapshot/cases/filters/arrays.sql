SELECT (
  WITH page_1 AS (
    SELECT thing_2.id AS id,
      thing_2.tags AS tags
    FROM public.thing AS thing_2
    WHERE thing_2.tags @> CAST($1 AS text[])
    ORDER BY thing_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "tags" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(page_1.tags), 1) = 1) THEN page_1.tags
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
        thing_4.sizes AS sizes
      FROM public.thing AS thing_4
      WHERE thing_4.sizes <@ CAST($2 AS integer[])
      ORDER BY thing_4.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || ', "sizes" : ' || coalesce(
              CAST(
                pg_catalog.to_json(
                  CASE
                  WHEN (coalesce(pg_catalog.array_ndims(page_3.sizes), 1) = 1) THEN page_3.sizes
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
    FROM page_3
  ) AS anon_2,
  (
    WITH page_5 AS (
      SELECT thing_6.id AS id
      FROM public.thing AS thing_6
      WHERE thing_6.tags && CAST($3 AS text[])
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
      WHERE thing_8.sizes = CAST($4 AS integer[])
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
  ) AS anon_4;
-- ["{\"red\"}", "{\"1\",\"2\",\"3\"}", "{\"blue\",\"green\"}", "{\"1\",\"2\"}"]
