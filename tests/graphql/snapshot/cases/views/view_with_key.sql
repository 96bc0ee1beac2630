SELECT (
  WITH page_1 AS (
    SELECT person_4.person_id AS person_id,
      person_4.email AS email
    FROM public.person AS person_4
    ORDER BY person_4.person_id ASC NULLS LAST
    LIMIT 1
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
                      CAST(pg_catalog.jsonb_build_array(page_1.person_id) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(
                        pg_catalog.jsonb_build_array('public', 'person', page_1.person_id) AS TEXT
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
          ) || ', "email" : ' || coalesce(CAST(pg_catalog.to_json(page_1.email) AS TEXT), 'null') || ', "greetings" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT greeting_3.text AS text,
                  greeting_3.id AS id
                FROM public.greeting AS greeting_3
                WHERE greeting_3.id = page_1.person_id
                ORDER BY greeting_3.id ASC NULLS LAST
                LIMIT 30
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"text" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_2.text) AS TEXT), 'null'
                      ) || '}}'
                    ), ', '
                  ) FILTER (WHERE page_2.id IS NOT NULL) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_2
            ),
            'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_1.person_id IS NOT NULL) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    SELECT
    CASE
    WHEN (pg_catalog.count(*) OVER () > 1) THEN CAST(
      CAST(
        'portico: The declared key of person is not unique | Declare columns as primary_key_columns that tell all rows apart: docs/directives.md, "Views".; ' || CAST(
          pg_catalog.count(*) OVER () AS TEXT
        ) AS integer
      ) AS TEXT
    )
    ELSE (
      '{"email" : ' || coalesce(CAST(pg_catalog.to_json(person_5.email) AS TEXT), 'null') || '}'
    )
    END AS anon_3
    FROM public.person AS person_5
    WHERE person_5.person_id = CAST($1 AS integer)
  ) AS anon_2;
-- ["2"]
