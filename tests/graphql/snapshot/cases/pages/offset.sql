SELECT (
  WITH page_1 AS (
    SELECT picked_4.a AS a,
      picked_4.b AS b,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      SELECT n_3.a AS a,
        n_3.b AS b
      FROM public.n AS n_3
      ORDER BY n_3.a ASC,
        n_3.b ASC
      LIMIT 3
      OFFSET CAST($1 AS bigint)
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
            CAST(page_1.b AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_1.position <= 2) || ']',
      '[]'
    ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 2) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          coalesce(
            pg_catalog.bool_and(
              pg_catalog.jsonb_build_array(page_1.a, page_1.b) IS DISTINCT
              FROM (
                SELECT pg_catalog.jsonb_build_array(n_2.a, n_2.b)
                FROM public.n AS n_2
                ORDER BY n_2.a ASC,
                  n_2.b ASC
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
-- ["4"]
