SELECT (
  WITH page_1 AS (
    SELECT country_7.name AS name,
      country_7.id AS id
    FROM public.country AS country_7
    ORDER BY country_7.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "personCollectionByHomeId" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT picked_6.id AS id,
                  pg_catalog.row_number() OVER () AS position,
                  pg_catalog.count(*) OVER () AS count
                FROM (
                  SELECT person_5.id AS id
                  FROM public.person AS person_5
                  WHERE (person_5.home_id = page_1.id)
                  AND (person_5.id > CAST($1 AS integer))
                  ORDER BY person_5.id DESC,
                    person_5.id ASC
                  LIMIT 2
                ) AS picked_6
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"cursor" : ' || coalesce(
                        CAST(
                          pg_catalog.to_json(
                            pg_catalog.translate(
                              pg_catalog.encode(
                                pg_catalog.convert_to(
                                  CAST(pg_catalog.jsonb_build_array(page_2.id, page_2.id) AS TEXT),
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
                      ) || ', "node" : {"id" : ' || coalesce(CAST(page_2.id AS TEXT), 'null') || ', "personCollection" : ' || coalesce(
                        (
                          WITH page_3 AS (
                            SELECT person_4.id AS id
                            FROM public.person AS person_4
                            WHERE person_4.boss_id = page_2.id
                            ORDER BY person_4.id ASC
                            LIMIT 30
                          )
                          SELECT (
                            '{"edges" : ' || coalesce(
                              '[' || pg_catalog.string_agg(
                                (
                                  '{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || '}}'
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
                  ) FILTER (WHERE page_2.position <= 1) || ']',
                  '[]'
                ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
                  CAST(pg_catalog.to_json(pg_catalog.count(page_2.position) > 1) AS TEXT), 'null'
                ) || '}}'
              )
              FROM page_2
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
-- ["0"]
