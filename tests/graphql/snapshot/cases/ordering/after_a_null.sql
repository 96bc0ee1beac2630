SELECT (
  WITH page_1 AS (
    SELECT picked_4.id AS id,
      picked_4.rank AS rank,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      (
        SELECT item_3.id AS id,
          item_3.rank AS rank
        FROM public.item AS item_3
        WHERE item_3.rank IS NULL
        AND (item_3.id > CAST($1 AS integer))
        ORDER BY item_3.rank ASC NULLS FIRST,
          item_3.id ASC
        LIMIT 3
      )
      UNION ALL (
        SELECT item_3.id AS id,
          item_3.rank AS rank
        FROM public.item AS item_3
        WHERE item_3.rank IS NOT NULL
        ORDER BY item_3.rank ASC NULLS FIRST,
          item_3.id ASC
        LIMIT 3
      )
      LIMIT 3
    ) AS picked_4
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "rank" : ' || coalesce(
            CAST(page_1.rank AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_1.position <= 2) || ']',
      '[]'
    ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 2) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          coalesce(
            pg_catalog.bool_and(
              page_1.id IS DISTINCT
              FROM (
                SELECT item_2.id
                FROM public.item AS item_2
                ORDER BY item_2.rank ASC NULLS FIRST,
                  item_2.id ASC
                LIMIT 1
              )
            ) FILTER (WHERE page_1.position = 1),
            false
          )
        ) AS TEXT
      ),
      'null'
    ) || '}}'
  )
  FROM page_1
) AS anon_1;
-- ["2"]
