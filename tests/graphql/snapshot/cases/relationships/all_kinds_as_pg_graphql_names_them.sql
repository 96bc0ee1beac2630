SELECT CAST(
  (
    WITH page_1 AS (
      SELECT person_7.name AS name,
        person_7.boss_id AS boss_id,
        person_7.id AS id
      FROM public.person AS person_7
      ORDER BY person_7.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'name', page_1.name,
              'boss', (
                SELECT json_build_object('name', person_2.name) AS json_build_object_2
                FROM public.person AS person_2
                WHERE person_2.id = page_1.boss_id
              ),
              'messageCollection', (
                WITH page_3 AS (
                  SELECT message_6.sender_id AS sender_id,
                    message_6.reader_id AS reader_id
                  FROM public.message AS message_6
                  WHERE message_6.sender_id = page_1.id
                  ORDER BY message_6.id ASC NULLS LAST
                  LIMIT 30
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(
                      json_build_object(
                        'node', json_build_object(
                          'sender', (
                            SELECT json_build_object('name', person_4.name) AS json_build_object_4
                            FROM public.person AS person_4
                            WHERE person_4.id = page_3.sender_id
                          ),
                          'reader', (
                            SELECT json_build_object('name', person_5.name) AS json_build_object_5
                            FROM public.person AS person_5
                            WHERE person_5.id = page_3.reader_id
                          )
                        )
                      )
                    ),
                    '[]'
                  )
                ) AS json_build_object_3
                FROM page_3
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
