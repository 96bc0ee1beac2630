SELECT CAST(
  (
    WITH page_1 AS (
      SELECT busy_5.messages AS messages,
        busy_5.id AS id
      FROM public.busy AS busy_5
      ORDER BY busy_5.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'messages', CAST(page_1.messages AS TEXT),
              'who', (
                SELECT json_build_object(
                  'name', person_2.name,
                  'activity', (
                    WITH page_3 AS (
                      SELECT busy_4.messages AS messages,
                        busy_4.id AS id
                      FROM public.busy AS busy_4
                      WHERE busy_4.id = person_2.id
                      ORDER BY busy_4.id ASC NULLS LAST
                      LIMIT 30
                    )
                    SELECT json_build_object(
                      'edges', coalesce(
                        json_agg(
                          json_build_object(
                            'node', json_build_object('messages', CAST(page_3.messages AS TEXT))
                          )
                        ) FILTER (WHERE page_3.id IS NOT NULL),
                        '[]'
                      )
                    ) AS json_build_object_3
                    FROM page_3
                  )
                ) AS json_build_object_2
                FROM public.person AS person_2
                WHERE person_2.id = page_1.id
              )
            )
          )
        ) FILTER (WHERE page_1.id IS NOT NULL),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
