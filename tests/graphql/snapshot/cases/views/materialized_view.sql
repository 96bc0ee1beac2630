SELECT CAST(
  (
    WITH page_1 AS (
      SELECT greeting_3.text AS text,
        greeting_3.id AS id
      FROM public.greeting AS greeting_3
      ORDER BY greeting_3.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'text', page_1.text,
              'to', (
                SELECT json_build_object('email', person_2.email) AS json_build_object_2
                FROM public.person AS person_2
                WHERE person_2.person_id = page_1.id
                LIMIT 1
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
