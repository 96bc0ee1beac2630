SELECT CAST(
  (
    WITH page_1 AS (
      SELECT person_4.person_id AS person_id,
        person_4.email AS email
      FROM public.person AS person_4
      ORDER BY person_4.person_id ASC NULLS LAST
      LIMIT 1
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'cursor', translate(
              encode(
                convert_to(CAST(jsonb_build_array(page_1.person_id) AS TEXT), 'UTF8'), 'base64'
              ),
              E'\n',
              ''
            ),
            'node', json_build_object(
              'nodeId', translate(
                encode(
                  convert_to(
                    CAST(jsonb_build_array('public', 'person', page_1.person_id) AS TEXT), 'UTF8'
                  ),
                  'base64'
                ),
                E'\n',
                ''
              ),
              'email', page_1.email,
              'greetings', (
                WITH page_2 AS (
                  SELECT greeting_3.text AS text,
                    greeting_3.id AS id
                  FROM public.greeting AS greeting_3
                  WHERE greeting_3.id = page_1.person_id
                  ORDER BY greeting_3.id ASC NULLS LAST
                  LIMIT 30
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(json_build_object('node', json_build_object('text', page_2.text))) FILTER (
                      WHERE page_2.id IS NOT NULL
                    ),
                    '[]'
                  )
                ) AS json_build_object_2
                FROM page_2
              )
            )
          )
        ) FILTER (WHERE page_1.person_id IS NOT NULL),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object('email', person_5.email) AS json_build_object_3
      FROM public.person AS person_5
      WHERE person_5.person_id = CAST($1 AS integer)
    ) AS TEXT
  ) AS anon_2;
-- ["2"]
