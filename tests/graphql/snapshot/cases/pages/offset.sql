SELECT (
  WITH page_1 AS (
    SELECT picked_4.a AS a,
      picked_4.b AS b,
      row_number() OVER () AS position,
      count(*) OVER () AS count
    FROM (
      SELECT n_3.a AS a,
        n_3.b AS b
      FROM public.n AS n_3
      ORDER BY n_3.a ASC NULLS LAST,
        n_3.b ASC NULLS LAST
      LIMIT 3
      OFFSET CAST($1 AS bigint)
    ) AS picked_4
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              to_json(
                translate(
                  encode(
                    convert_to(CAST(jsonb_build_array(page_1.a, page_1.b) AS TEXT), 'UTF8'),
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
      CAST(to_json(count(page_1.position) > 2) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(
      CAST(
        to_json(
          coalesce(
            bool_and(
              jsonb_build_array(page_1.a, page_1.b) IS DISTINCT
              FROM (
                SELECT jsonb_build_array(n_2.a, n_2.b) AS jsonb_build_array_1
                FROM public.n AS n_2
                ORDER BY n_2.a ASC NULLS LAST,
                  n_2.b ASC NULLS LAST
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
