SELECT (
  WITH page_1 AS (
    SELECT person_7.id AS id,
      person_7.home_id AS home_id,
      person_7.birth_id AS birth_id,
      person_7.boss_id AS boss_id
    FROM public.person AS person_7
    ORDER BY person_7.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "home" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(country_2.name) AS TEXT), 'null') || '}'
              )
              FROM public.country AS country_2
              WHERE country_2.id = page_1.home_id
            ),
            'null'
          ) || ', "birth" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(country_3.name) AS TEXT), 'null') || '}'
              )
              FROM public.country AS country_3
              WHERE country_3.id = page_1.birth_id
            ),
            'null'
          ) || ', "boss" : ' || coalesce(
            (
              SELECT ('{"id" : ' || coalesce(CAST(person_4.id AS TEXT), 'null') || '}')
              FROM public.person AS person_4
              WHERE person_4.id = page_1.boss_id
            ),
            'null'
          ) || ', "passport" : ' || coalesce(
            (
              SELECT (
                '{"number" : ' || coalesce(
                  CAST(pg_catalog.to_json(passport_5.number) AS TEXT), 'null'
                ) || ', "person" : ' || coalesce(
                  (
                    SELECT ('{"id" : ' || coalesce(CAST(person_6.id AS TEXT), 'null') || '}')
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
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
