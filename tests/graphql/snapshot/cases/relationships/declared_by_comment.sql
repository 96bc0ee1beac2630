SELECT (
  WITH page_1 AS (
    SELECT busy_5.messages AS messages,
      busy_5.id AS id
    FROM public.busy AS busy_5
    ORDER BY busy_5.id ASC NULLS LAST
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"messages" : ' || coalesce(
            ('"' || CAST(page_1.messages AS TEXT) || '"'), 'null'
          ) || ', "who" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(person_2.name) AS TEXT), 'null') || ', "activity" : ' || coalesce(
                  (
                    WITH page_3 AS (
                      SELECT busy_4.messages AS messages,
                        busy_4.id AS id
                      FROM public.busy AS busy_4
                      WHERE busy_4.id = person_2.id
                      ORDER BY busy_4.id ASC NULLS LAST
                      LIMIT 30
                    )
                    SELECT (
                      '{"edges" : ' || coalesce(
                        '[' || pg_catalog.string_agg(
                          (
                            '{"node" : {"messages" : ' || coalesce(
                              ('"' || CAST(page_3.messages AS TEXT) || '"'), 'null'
                            ) || '}}'
                          ), ', '
                        ) FILTER (WHERE page_3.id IS NOT NULL) || ']',
                        '[]'
                      ) || '}'
                    )
                    FROM page_3
                  ),
                  'null'
                ) || '}'
              )
              FROM public.person AS person_2
              WHERE person_2.id = page_1.id
            ),
            'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_1.id IS NOT NULL) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
