SELECT (
  WITH page_1 AS (
    SELECT maker_4.name AS name,
      maker_4.id AS id
    FROM public.maker AS maker_4
    ORDER BY maker_4.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "itemCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT item_3.name AS name,
                  item_3.embedding OPERATOR("public".<=>) CAST($1 AS public.vector(3)) AS ordered_by
                FROM public.item AS item_3
                WHERE item_3.maker_id = page_1.id
                ORDER BY item_3.embedding OPERATOR("public".<=>) CAST($1 AS public.vector(3)) ASC NULLS LAST,
                  item_3.id ASC
                LIMIT 1
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"distance" : ' || coalesce(
                        CAST(
                          pg_catalog.to_json(
                            nullif(
                              nullif(nullif(page_2.ordered_by, 'NaN'), 'Infinity'), '-Infinity'
                            )
                          ) AS TEXT
                        ),
                        'null'
                      ) || ', "node" : {"name" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_2.name) AS TEXT), 'null'
                      ) || '}}'
                    ), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_2
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
-- ["[1,0.5,0]"]
