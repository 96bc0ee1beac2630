SELECT (
  WITH page_1 AS (
    (
      SELECT item_2.rank AS rank,
        item_2.id AS id
      FROM public.item AS item_2
      WHERE (item_2.rank, item_2.id) > (CAST($1 AS integer), CAST($2 AS integer))
      ORDER BY item_2.rank ASC NULLS LAST,
        item_2.id ASC
      LIMIT 3
    )
    UNION ALL (
      SELECT item_2.rank AS rank,
        item_2.id AS id
      FROM public.item AS item_2
      WHERE item_2.rank IS NULL
      ORDER BY item_2.rank ASC NULLS LAST,
        item_2.id ASC
      LIMIT 3
    )
    LIMIT 3
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
                      CAST(pg_catalog.jsonb_build_array(page_1.rank, page_1.id) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "rank" : ' || coalesce(
            CAST(page_1.rank AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["3", "4"]
