SELECT (
  WITH page_1 AS (
    SELECT "Odd_Name_2".id AS id
    FROM public."Odd Name" AS "Odd_Name_2"
    ORDER BY "Odd_Name_2".id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array('public', 'Odd Name', page_1.id) AS TEXT),
                      'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    SELECT (
      '{"nodeId" : ' || coalesce(
        CAST(
          pg_catalog.to_json(
            pg_catalog.translate(
              pg_catalog.encode(
                pg_catalog.convert_to(
                  CAST(pg_catalog.jsonb_build_array('public', 'Odd Name', "Odd_Name_3".id) AS TEXT),
                  'UTF8'
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
    ) AS json_1
    FROM public."Odd Name" AS "Odd_Name_3"
    WHERE "Odd_Name_3".id = CAST($1 AS integer)
  ) AS anon_2;
-- ["7"]
