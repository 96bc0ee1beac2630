SELECT (
  WITH page_1 AS (
    SELECT item_2.id AS id,
      item_2.mood AS mood
    FROM public.item AS item_2
    WHERE (item_2.mood = any(CAST($1 AS public.mood[])))
    AND (item_2.mood <> CAST($2 AS public.mood))
    AND (item_2.tags @> CAST($3 AS text[]))
    AND (item_2.tags <@ CAST($4 AS text[]))
    AND (item_2.tags && CAST($5 AS text[]))
    AND (item_2.tags = CAST($6 AS text[]))
    ORDER BY item_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "mood" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (CAST(page_1.mood AS TEXT) = 'so so') THEN 'so_so'
                ELSE CAST(page_1.mood AS TEXT)
                END
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
-- ["{\"so so\",\"fine\"}", "fine", "{\"b\"}", "{\"a\",\"b\"}", "{\"b\"}", "{\"b\"}"]
