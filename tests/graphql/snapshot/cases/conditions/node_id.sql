SELECT (
  WITH page_1 AS (
    SELECT item_2.id AS id
    FROM public.item AS item_2
    WHERE item_2.id = CAST($1 AS integer)
    ORDER BY item_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array('public', 'item', page_1.id) AS TEXT),
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
-- ["2"]
