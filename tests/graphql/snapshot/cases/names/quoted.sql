SELECT (
  WITH page_1 AS (
    SELECT select_2."from" AS "from",
      select_2."it's" AS "it's",
      select_2."100%" AS "100%",
      select_2."a:b" AS "a:b",
      select_2.id AS id
    FROM public."select" AS select_2
    WHERE (select_2."100%" = CAST($1 AS text))
    AND (select_2."a:b" = CAST($2 AS text))
    ORDER BY select_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"from" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1."from") AS TEXT), 'null'
          ) || ', "its" : ' || coalesce(CAST(pg_catalog.to_json(page_1."it's") AS TEXT), 'null') || ', "percent" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1."100%") AS TEXT), 'null'
          ) || ', "colon" : ' || coalesce(CAST(pg_catalog.to_json(page_1."a:b") AS TEXT), 'null') || ', "nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array('public', 'select', page_1.id) AS TEXT),
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
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["p", "c"]
