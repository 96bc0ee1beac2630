SELECT (
  WITH page_1 AS (
    SELECT picked_4.name AS name,
      picked_4.id AS id,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      (
        SELECT item_3.name AS name,
          item_3.id AS id
        FROM public.item AS item_3
        WHERE (item_3.name = CAST($1 AS text))
        AND (item_3.id > CAST($2 AS integer))
        ORDER BY item_3.name DESC,
          item_3.id ASC,
          item_3.id DESC
        LIMIT 3
      )
      UNION ALL (
        SELECT item_3.name AS name,
          item_3.id AS id
        FROM public.item AS item_3
        WHERE item_3.name < CAST($1 AS text)
        ORDER BY item_3.name DESC,
          item_3.id ASC,
          item_3.id DESC
        LIMIT 3
      )
      LIMIT 3
    ) AS picked_4
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
                      CAST(pg_catalog.jsonb_build_array(page_1.name, page_1.id, page_1.id) AS TEXT),
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
          ) || ', "node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "name" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null'
          ) || '}}'
        ), ', '
        ORDER BY page_1.position DESC
      ) FILTER (WHERE page_1.position <= 2) || ']',
      '[]'
    ) || ', "pageInfo" : {"startCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
            pg_catalog.translate(
              pg_catalog.encode(
                pg_catalog.convert_to(
                  CAST(pg_catalog.jsonb_build_array(page_1.name, page_1.id, page_1.id) AS TEXT),
                  'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_1.position = least(page_1.count, 2))
        ) AS TEXT
      ),
      'null'
    ) || ', "endCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
            pg_catalog.translate(
              pg_catalog.encode(
                pg_catalog.convert_to(
                  CAST(pg_catalog.jsonb_build_array(page_1.name, page_1.id, page_1.id) AS TEXT),
                  'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_1.position = 1)
        ) AS TEXT
      ),
      'null'
    ) || ', "hasNextPage" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          coalesce(
            pg_catalog.bool_and(
              page_1.id IS DISTINCT
              FROM (
                SELECT item_2.id
                FROM public.item AS item_2
                ORDER BY item_2.name DESC,
                  item_2.id ASC,
                  item_2.id DESC
                LIMIT 1
              )
            ) FILTER (WHERE page_1.position = 1),
            false
          )
        ) AS TEXT
      ),
      'null'
    ) || ', "hasPreviousPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 2) AS TEXT), 'null'
    ) || '}}'
  )
  FROM page_1
) AS anon_1;
-- ["b", "3"]
