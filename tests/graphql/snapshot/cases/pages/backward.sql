SELECT CAST(
  (
    WITH page_1 AS (
      SELECT picked_3.a AS a,
        picked_3.b AS b,
        row_number() OVER () AS position,
        count(*) OVER () AS count
      FROM (
        SELECT n_2.a AS a,
          n_2.b AS b
        FROM public.n AS n_2
        ORDER BY n_2.a DESC NULLS FIRST,
          n_2.b DESC NULLS FIRST
        LIMIT 3
      ) AS picked_3
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object('node', json_build_object('a', page_1.a, 'b', page_1.b))
          ORDER BY page_1.position DESC
        ) FILTER (WHERE page_1.position <= 2),
        '[]'
      ),
      'pageInfo', json_build_object(
        'hasNextPage', false,
        'hasPreviousPage', count(page_1.position) > 2,
        'startCursor', max(
          translate(
            encode(
              convert_to(CAST(jsonb_build_array(page_1.a, page_1.b) AS TEXT), 'UTF8'), 'base64'
            ),
            E'\n',
            ''
          )
        ) FILTER (WHERE page_1.position = least(page_1.count, 2)),
        'endCursor', max(
          translate(
            encode(
              convert_to(CAST(jsonb_build_array(page_1.a, page_1.b) AS TEXT), 'UTF8'), 'base64'
            ),
            E'\n',
            ''
          )
        ) FILTER (WHERE page_1.position = 1)
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      WITH page_4 AS (
        SELECT picked_7.a AS a,
          picked_7.b AS b,
          row_number() OVER () AS position,
          count(*) OVER () AS count
        FROM (
          SELECT n_6.a AS a,
            n_6.b AS b
          FROM public.n AS n_6
          WHERE (n_6.a, n_6.b) < (CAST($1 AS integer), CAST($2 AS integer))
          ORDER BY n_6.a DESC NULLS FIRST,
            n_6.b DESC NULLS FIRST
          LIMIT 3
        ) AS picked_7
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object('node', json_build_object('a', page_4.a, 'b', page_4.b))
            ORDER BY page_4.position DESC
          ) FILTER (WHERE page_4.position <= 2),
          '[]'
        ),
        'pageInfo', json_build_object(
          'hasNextPage', coalesce(
            bool_and(
              jsonb_build_array(page_4.a, page_4.b) IS DISTINCT
              FROM (
                SELECT jsonb_build_array(n_5.a, n_5.b) AS jsonb_build_array_1
                FROM public.n AS n_5
                ORDER BY n_5.a DESC NULLS FIRST,
                  n_5.b DESC NULLS FIRST
                LIMIT 1
              )
            ) FILTER (WHERE page_4.position = 1),
            false
          ),
          'hasPreviousPage', count(page_4.position) > 2
        )
      ) AS json_build_object_2
      FROM page_4
    ) AS TEXT
  ) AS anon_2;
-- ["2", "0"]
