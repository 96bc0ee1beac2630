SELECT (
  WITH page_1 AS (
    SELECT item_2.id AS id,
      item_2.rank AS rank
    FROM public.item AS item_2
    WHERE (item_2.rank > CAST($1 AS integer))
    OR item_2.rank IS NULL
    OR (item_2.rank = CAST($1 AS integer))
    AND (item_2.id > CAST($2 AS integer))
    ORDER BY item_2.rank ASC NULLS LAST,
      item_2.id ASC NULLS LAST
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
