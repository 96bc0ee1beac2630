SELECT (
  WITH page_1 AS (
    SELECT picked_4.a AS a,
      picked_4.b AS b,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      SELECT pair_3.a AS a,
        pair_3.b AS b
      FROM public.pair AS pair_3
      WHERE (pair_3.a, pair_3.b) > (CAST($1 AS integer), CAST($2 AS text))
      ORDER BY pair_3.a ASC,
        pair_3.b ASC
      LIMIT 30
    ) AS picked_4
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array(page_1.a, page_1.b) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"a" : ' || coalesce(CAST(page_1.a AS TEXT), 'null') || ', "b" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.b) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || ', "pageInfo" : {"hasPreviousPage" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          coalesce(
            pg_catalog.bool_and(
              pg_catalog.jsonb_build_array(page_1.a, page_1.b) IS DISTINCT
              FROM (
                SELECT pg_catalog.jsonb_build_array(pair_2.a, pair_2.b)
                FROM public.pair AS pair_2
                ORDER BY pair_2.a ASC,
                  pair_2.b ASC
                LIMIT 1
              )
            ) FILTER (WHERE page_1.position = 1),
            false
          )
        ) AS TEXT
      ),
      'null'
    ) || '}}'
  )
  FROM page_1
) AS anon_1;
-- ["1", "y"]
