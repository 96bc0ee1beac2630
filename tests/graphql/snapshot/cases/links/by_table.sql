SELECT CAST(
  (
    WITH page_1 AS (
      SELECT person_7.id AS id,
        person_7.home_id AS home_id,
        person_7.birth_id AS birth_id,
        person_7.boss_id AS boss_id
      FROM public.person AS person_7
      ORDER BY person_7.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'id', page_1.id,
              'home', (
                SELECT json_build_object('name', country_2.name) AS json_build_object_2
                FROM public.country AS country_2
                WHERE country_2.id = page_1.home_id
              ),
              'birth', (
                SELECT json_build_object('name', country_3.name) AS json_build_object_3
                FROM public.country AS country_3
                WHERE country_3.id = page_1.birth_id
              ),
              'person', (
                SELECT json_build_object('id', person_4.id) AS json_build_object_4
                FROM public.person AS person_4
                WHERE person_4.id = page_1.boss_id
              ),
              'passport', (
                SELECT json_build_object(
                  'number', passport_5.number,
                  'person', (
                    SELECT json_build_object('id', person_6.id) AS json_build_object_6
                    FROM public.person AS person_6
                    WHERE person_6.id = passport_5.person_id
                  )
                ) AS json_build_object_5
                FROM public.passport AS passport_5
                WHERE passport_5.person_id = page_1.id
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
