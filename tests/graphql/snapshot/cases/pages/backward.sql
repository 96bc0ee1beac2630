SELECT (
  WITH page_1 AS (
    SELECT picked_3.a AS a,
      picked_3.b AS b,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      SELECT n_2.a AS a, n_2.b AS b FROM public.n AS n_2 ORDER BY n_2.a DESC, n_2.b DESC LIMIT 3
    ) AS picked_3
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"a" : ' || coalesce(CAST(page_1.a AS TEXT), 'null') || ', "b" : ' || coalesce(
            CAST(page_1.b AS TEXT), 'null'
          ) || '}}'
        ), ', '
        ORDER BY page_1.position DESC
      ) FILTER (WHERE page_1.position <= 2) || ']',
      '[]'
    ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(false) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 2) AS TEXT), 'null'
    ) || ', "startCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
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
          ) FILTER (WHERE page_1.position = least(page_1.count, 2))
        ) AS TEXT
      ),
      'null'
    ) || ', "endCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
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
          ) FILTER (WHERE page_1.position = 1)
        ) AS TEXT
      ),
      'null'
    ) || '}}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_4 AS (
      SELECT picked_7.a AS a,
        picked_7.b AS b,
        pg_catalog.row_number() OVER () AS position,
        pg_catalog.count(*) OVER () AS count
      FROM (
        SELECT n_6.a AS a,
          n_6.b AS b
        FROM public.n AS n_6
        WHERE (n_6.a, n_6.b) < (CAST($1 AS integer), CAST($2 AS integer))
        ORDER BY n_6.a DESC,
          n_6.b DESC
        LIMIT 3
      ) AS picked_7
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"a" : ' || coalesce(CAST(page_4.a AS TEXT), 'null') || ', "b" : ' || coalesce(
              CAST(page_4.b AS TEXT), 'null'
            ) || '}}'
          ), ', '
          ORDER BY page_4.position DESC
        ) FILTER (WHERE page_4.position <= 2) || ']',
        '[]'
      ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
        CAST(
          pg_catalog.to_json(
            coalesce(
              pg_catalog.bool_and(
                pg_catalog.jsonb_build_array(page_4.a, page_4.b) IS DISTINCT
                FROM (
                  SELECT pg_catalog.jsonb_build_array(n_5.a, n_5.b)
                  FROM public.n AS n_5
                  ORDER BY n_5.a DESC,
                    n_5.b DESC
                  LIMIT 1
                )
              ) FILTER (WHERE page_4.position = 1),
              false
            )
          ) AS TEXT
        ),
        'null'
      ) || ', "hasPreviousPage" : ' || coalesce(
        CAST(pg_catalog.to_json(pg_catalog.count(page_4.position) > 2) AS TEXT), 'null'
      ) || '}}'
    )
    FROM page_4
  ) AS anon_2;
-- ["2", "0"]
