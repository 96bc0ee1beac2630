SELECT (
  WITH page_1 AS (
    SELECT person_7.name AS name,
      person_7.boss_id AS boss_id,
      person_7.id AS id
    FROM public.person AS person_7
    ORDER BY person_7.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "boss" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(person_2.name) AS TEXT), 'null') || '}'
              )
              FROM public.person AS person_2
              WHERE person_2.id = page_1.boss_id
            ),
            'null'
          ) || ', "messageCollection" : ' || coalesce(
            (
              WITH page_3 AS (
                SELECT message_6.sender_id AS sender_id,
                  message_6.reader_id AS reader_id
                FROM public.message AS message_6
                WHERE message_6.sender_id = page_1.id
                ORDER BY message_6.id ASC
                LIMIT 30
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"sender" : ' || coalesce(
                        (
                          SELECT (
                            '{"name" : ' || coalesce(
                              CAST(pg_catalog.to_json(person_4.name) AS TEXT), 'null'
                            ) || '}'
                          )
                          FROM public.person AS person_4
                          WHERE person_4.id = page_3.sender_id
                        ),
                        'null'
                      ) || ', "reader" : ' || coalesce(
                        (
                          SELECT (
                            '{"name" : ' || coalesce(
                              CAST(pg_catalog.to_json(person_5.name) AS TEXT), 'null'
                            ) || '}'
                          )
                          FROM public.person AS person_5
                          WHERE person_5.id = page_3.reader_id
                        ),
                        'null'
                      ) || '}}'
                    ), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_3
            ),
            'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
