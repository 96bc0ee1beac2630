SELECT CAST(
  (
    WITH page_1 AS (
      SELECT "Odd_Name_2".id AS id
      FROM public."Odd Name" AS "Odd_Name_2"
      ORDER BY "Odd_Name_2".id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'nodeId', translate(
                encode(
                  convert_to(
                    CAST(jsonb_build_array('public', 'Odd Name', page_1.id) AS TEXT), 'UTF8'
                  ),
                  'base64'
                ),
                E'\n',
                ''
              ),
              'id', page_1.id
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object(
        'nodeId', translate(
          encode(
            convert_to(
              CAST(jsonb_build_array('public', 'Odd Name', "Odd_Name_3".id) AS TEXT), 'UTF8'
            ),
            'base64'
          ),
          E'\n',
          ''
        )
      ) AS json_build_object_2
      FROM public."Odd Name" AS "Odd_Name_3"
      WHERE "Odd_Name_3".id = CAST($1 AS integer)
    ) AS TEXT
  ) AS anon_2;
-- ["7"]
