SELECT (
  WITH page_1 AS (
    (
      SELECT item_2.id AS id,
        item_2.rank AS rank
      FROM public.item AS item_2
      WHERE (item_2.rank, item_2.id) > (CAST($1 AS integer), CAST($2 AS integer))
      ORDER BY item_2.rank ASC NULLS LAST,
        item_2.id ASC
      LIMIT 2
    )
    UNION ALL (
      SELECT item_2.id AS id,
        item_2.rank AS rank
      FROM public.item AS item_2
      WHERE item_2.rank IS NULL
      ORDER BY item_2.rank ASC NULLS LAST,
        item_2.id ASC
      LIMIT 2
    )
    LIMIT 2
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "rank" : ' || coalesce(
            CAST(page_1.rank AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["2", "1"]
