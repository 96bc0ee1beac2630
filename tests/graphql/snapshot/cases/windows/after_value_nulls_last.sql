SELECT CAST(
  (
    WITH page_1 AS (
      SELECT item_2.rank AS rank,
        item_2.id AS id
      FROM public.item AS item_2
      WHERE (item_2.rank > CAST($1 AS integer))
      OR item_2.rank IS NULL
      OR (item_2.rank = CAST($1 AS integer))
      AND (item_2.id > CAST($2 AS integer))
      ORDER BY item_2.rank ASC NULLS LAST,
        item_2.id ASC NULLS LAST
      LIMIT 3
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'cursor', translate(
              encode(
                convert_to(CAST(jsonb_build_array(page_1.rank, page_1.id) AS TEXT), 'UTF8'),
                'base64'
              ),
              E'\n',
              ''
            ),
            'node', json_build_object('id', page_1.id, 'rank', page_1.rank)
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- ["3", "4"]
