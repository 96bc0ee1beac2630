SELECT (
  WITH page_1 AS (
    SELECT country_4.name AS name,
      country_4.id AS id
    FROM public.country AS country_4
    ORDER BY country_4.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "authorCollection" : ' || coalesce(
            (
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    ('{"node" : ' || coalesce(page_3.node, 'null') || '}'), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM (
                SELECT (
                  '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_2.name) AS TEXT), 'null') || '}'
                ) AS node
                FROM public.author AS author_2
                WHERE (author_2.country_id = page_1.id)
                AND (author_2.tenant_id = CAST($1 AS integer))
                ORDER BY author_2.tenant_id ASC,
                  author_2.id ASC
                LIMIT 30
              ) AS page_3
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
-- ["1"]
