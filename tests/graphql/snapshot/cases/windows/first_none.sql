SELECT (
  WITH page_1 AS (
    SELECT picked_3.id AS id,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (SELECT item_2.id AS id FROM public.item AS item_2 ORDER BY item_2.id ASC LIMIT 1) AS picked_3
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
                      CAST(pg_catalog.jsonb_build_array(page_1.id) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || '}'
        ), ', '
      ) FILTER (WHERE page_1.position <= 0) || ']',
      '[]'
    ) || ', "pageInfo" : {"startCursor" : null, "endCursor" : null, "hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 0) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(CAST(pg_catalog.to_json(false) AS TEXT), 'null') || '}}'
  )
  FROM page_1
) AS anon_1;
-- []
