SELECT (
  WITH page_1 AS (
    SELECT person_13.name AS name,
      person_13.boss_id AS boss_id,
      person_13.id AS id
    FROM public.person AS person_13
    ORDER BY person_13.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "person" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(person_2.name) AS TEXT), 'null') || '}'
              )
              FROM public.person AS person_2
              WHERE person_2.id = page_1.boss_id
            ),
            'null'
          ) || ', "personCollection" : ' || coalesce(
            (
              WITH page_3 AS (
                SELECT person_4.name AS name
                FROM public.person AS person_4
                WHERE person_4.boss_id = page_1.id
                ORDER BY person_4.id ASC
                LIMIT 30
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"name" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_3.name) AS TEXT), 'null'
                      ) || '}}'
                    ), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_3
            ),
            'null'
          ) || ', "passport" : ' || coalesce(
            (
              SELECT (
                '{"number" : ' || coalesce(
                  CAST(pg_catalog.to_json(passport_5.number) AS TEXT), 'null'
                ) || ', "person" : ' || coalesce(
                  (
                    SELECT (
                      '{"name" : ' || coalesce(
                        CAST(pg_catalog.to_json(person_6.name) AS TEXT), 'null'
                      ) || '}'
                    )
                    FROM public.person AS person_6
                    WHERE person_6.id = passport_5.person_id
                  ),
                  'null'
                ) || '}'
              )
              FROM public.passport AS passport_5
              WHERE passport_5.person_id = page_1.id
            ),
            'null'
          ) || ', "messageCollectionBySenderId" : ' || coalesce(
            (
              WITH page_7 AS (
                SELECT message_10.words AS words,
                  message_10.reader_id AS reader_id,
                  message_10.sender_id AS sender_id
                FROM public.message AS message_10
                WHERE message_10.sender_id = page_1.id
                ORDER BY message_10.id ASC
                LIMIT 1
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"words" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_7.words) AS TEXT), 'null'
                      ) || ', "reader" : ' || coalesce(
                        (
                          SELECT (
                            '{"name" : ' || coalesce(
                              CAST(pg_catalog.to_json(person_8.name) AS TEXT), 'null'
                            ) || '}'
                          )
                          FROM public.person AS person_8
                          WHERE person_8.id = page_7.reader_id
                        ),
                        'null'
                      ) || ', "sender" : ' || coalesce(
                        (
                          SELECT (
                            '{"name" : ' || coalesce(
                              CAST(pg_catalog.to_json(person_9.name) AS TEXT), 'null'
                            ) || '}'
                          )
                          FROM public.person AS person_9
                          WHERE person_9.id = page_7.sender_id
                        ),
                        'null'
                      ) || '}}'
                    ), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_7
            ),
            'null'
          ) || ', "messageCollectionByReaderId" : ' || coalesce(
            (
              WITH page_11 AS (
                SELECT message_12.words AS words
                FROM public.message AS message_12
                WHERE message_12.reader_id = page_1.id
                ORDER BY message_12.id ASC
                LIMIT 30
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"words" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_11.words) AS TEXT), 'null'
                      ) || '}}'
                    ), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_11
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
