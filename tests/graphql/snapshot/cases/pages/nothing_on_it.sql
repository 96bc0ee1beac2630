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
        ORDER BY n_2.a ASC NULLS LAST,
          n_2.b ASC NULLS LAST
        LIMIT 1
      ) AS picked_3
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'cursor', translate(
              encode(
                convert_to(CAST(jsonb_build_array(page_1.a, page_1.b) AS TEXT), 'UTF8'), 'base64'
              ),
              E'\n',
              ''
            )
          )
        ) FILTER (WHERE page_1.position <= 0),
        '[]'
      ),
      'pageInfo', json_build_object(
        'hasNextPage', count(page_1.position) > 0,
        'hasPreviousPage', false,
        'startCursor', NULL,
        'endCursor', NULL
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      WITH page_4 AS (
        SELECT picked_6.a AS a,
          picked_6.b AS b,
          row_number() OVER () AS position,
          count(*) OVER () AS count
        FROM (
          SELECT n_5.a AS a,
            n_5.b AS b
          FROM public.n AS n_5
          WHERE n_5.a > CAST($1 AS integer)
          ORDER BY n_5.a ASC NULLS LAST,
            n_5.b ASC NULLS LAST
          LIMIT 31
        ) AS picked_6
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object(
              'cursor', translate(
                encode(
                  convert_to(CAST(jsonb_build_array(page_4.a, page_4.b) AS TEXT), 'UTF8'), 'base64'
                ),
                E'\n',
                ''
              )
            )
          ) FILTER (WHERE page_4.position <= 30),
          '[]'
        ),
        'pageInfo', json_build_object(
          'hasNextPage', count(page_4.position) > 30,
          'hasPreviousPage', false,
          'startCursor', max(
            translate(
              encode(
                convert_to(CAST(jsonb_build_array(page_4.a, page_4.b) AS TEXT), 'UTF8'), 'base64'
              ),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_4.position = 1)
        )
      ) AS json_build_object_2
      FROM page_4
    ) AS TEXT
  ) AS anon_2;
-- ["99"]
