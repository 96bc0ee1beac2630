SELECT (
  WITH page_1 AS (
    SELECT greeting_3.text AS text,
      greeting_3.id AS id
    FROM public.greeting AS greeting_3
    ORDER BY greeting_3.id ASC NULLS LAST
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"text" : ' || coalesce(CAST(pg_catalog.to_json(page_1.text) AS TEXT), 'null') || ', "to" : ' || coalesce(
            (
              SELECT (
                '{"email" : ' || coalesce(CAST(pg_catalog.to_json(person_2.email) AS TEXT), 'null') || '}'
              )
              FROM public.person AS person_2
              WHERE person_2.person_id = page_1.id
              LIMIT 1
            ),
            'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_1.id IS NOT NULL) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
