SELECT (
  WITH page_1 AS (
    SELECT event_2.id AS id,
      event_2.day AS day
    FROM public.event AS event_2
    ORDER BY event_2.id ASC,
      event_2.day ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "day" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.day) AS TEXT), 'null'
          ) || ', "nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(
                        pg_catalog.jsonb_build_array('public', 'event', page_1.id, page_1.day) AS TEXT
                      ),
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
      SELECT event_2020_4.id AS id,
        event_2020_4.day AS day
      FROM public.event_2020 AS event_2020_4
      ORDER BY event_2020_4.id ASC,
        event_2020_4.day ASC
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
                        CAST(
                          pg_catalog.jsonb_build_array(
                            'public', 'event_2020', page_3.id, page_3.day
                          ) AS TEXT
                        ),
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
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2;
-- []
