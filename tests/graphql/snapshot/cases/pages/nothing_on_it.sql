SELECT (
  WITH page_1 AS (
    SELECT picked_3.a AS a,
      picked_3.b AS b,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (SELECT n_2.a AS a, n_2.b AS b FROM public.n AS n_2 ORDER BY n_2.a ASC, n_2.b ASC LIMIT 1) AS picked_3
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
          ) || '}'
        ), ', '
      ) FILTER (WHERE page_1.position <= 0) || ']',
      '[]'
    ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 0) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(CAST(pg_catalog.to_json(false) AS TEXT), 'null') || ', "startCursor" : null, "endCursor" : null}}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_4 AS (
      SELECT picked_6.a AS a,
        picked_6.b AS b,
        pg_catalog.row_number() OVER () AS position,
        pg_catalog.count(*) OVER () AS count
      FROM (
        SELECT n_5.a AS a,
          n_5.b AS b
        FROM public.n AS n_5
        WHERE n_5.a > CAST($1 AS integer)
        ORDER BY n_5.a ASC,
          n_5.b ASC
        LIMIT 31
      ) AS picked_6
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
                        CAST(pg_catalog.jsonb_build_array(page_4.a, page_4.b) AS TEXT), 'UTF8'
                      ),
                      'base64'
                    ),
                    E'\n',
                    ''
                  )
                ) AS TEXT
              ),
              'null'
            ) || '}'
          ), ', '
        ) FILTER (WHERE page_4.position <= 30) || ']',
        '[]'
      ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
        CAST(pg_catalog.to_json(pg_catalog.count(page_4.position) > 30) AS TEXT), 'null'
      ) || ', "hasPreviousPage" : ' || coalesce(CAST(pg_catalog.to_json(false) AS TEXT), 'null') || ', "startCursor" : ' || coalesce(
        CAST(
          pg_catalog.to_json(
            pg_catalog.max(
              pg_catalog.translate(
                pg_catalog.encode(
                  pg_catalog.convert_to(
                    CAST(pg_catalog.jsonb_build_array(page_4.a, page_4.b) AS TEXT), 'UTF8'
                  ),
                  'base64'
                ),
                E'\n',
                ''
              )
            ) FILTER (WHERE page_4.position = 1)
          ) AS TEXT
        ),
        'null'
      ) || '}}'
    )
    FROM page_4
  ) AS anon_2;
-- ["99"]
