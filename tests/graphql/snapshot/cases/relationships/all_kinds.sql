SELECT CAST(
  (
    WITH page_1 AS (
      SELECT person_13.name AS name,
        person_13.boss_id AS boss_id,
        person_13.id AS id
      FROM public.person AS person_13
      ORDER BY person_13.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'name', page_1.name,
              'person', (
                SELECT json_build_object('name', person_2.name) AS json_build_object_2
                FROM public.person AS person_2
                WHERE person_2.id = page_1.boss_id
              ),
              'personCollection', (
                WITH page_3 AS (
                  SELECT person_4.name AS name
                  FROM public.person AS person_4
                  WHERE person_4.boss_id = page_1.id
                  ORDER BY person_4.id ASC NULLS LAST
                  LIMIT 30
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(json_build_object('node', json_build_object('name', page_3.name))),
                    '[]'
                  )
                ) AS json_build_object_3
                FROM page_3
              ),
              'passport', (
                SELECT json_build_object(
                  'number', passport_5.number,
                  'person', (
                    SELECT json_build_object('name', person_6.name) AS json_build_object_5
                    FROM public.person AS person_6
                    WHERE person_6.id = passport_5.person_id
                  )
                ) AS json_build_object_4
                FROM public.passport AS passport_5
                WHERE passport_5.person_id = page_1.id
              ),
              'messageCollectionBySenderId', (
                WITH page_7 AS (
                  SELECT message_10.words AS words,
                    message_10.reader_id AS reader_id,
                    message_10.sender_id AS sender_id
                  FROM public.message AS message_10
                  WHERE message_10.sender_id = page_1.id
                  ORDER BY message_10.id ASC NULLS LAST
                  LIMIT 1
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(
                      json_build_object(
                        'node', json_build_object(
                          'words', page_7.words,
                          'reader', (
                            SELECT json_build_object('name', person_8.name) AS json_build_object_7
                            FROM public.person AS person_8
                            WHERE person_8.id = page_7.reader_id
                          ),
                          'sender', (
                            SELECT json_build_object('name', person_9.name) AS json_build_object_8
                            FROM public.person AS person_9
                            WHERE person_9.id = page_7.sender_id
                          )
                        )
                      )
                    ),
                    '[]'
                  )
                ) AS json_build_object_6
                FROM page_7
              ),
              'messageCollectionByReaderId', (
                WITH page_11 AS (
                  SELECT message_12.words AS words
                  FROM public.message AS message_12
                  WHERE message_12.reader_id = page_1.id
                  ORDER BY message_12.id ASC NULLS LAST
                  LIMIT 30
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(json_build_object('node', json_build_object('words', page_11.words))),
                    '[]'
                  )
                ) AS json_build_object_9
                FROM page_11
              )
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
