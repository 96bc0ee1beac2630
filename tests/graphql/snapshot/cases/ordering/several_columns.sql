SELECT CAST(
  (
    WITH page_1 AS (
      SELECT item_2.label AS label,
        item_2.rank AS rank,
        item_2.id AS id
      FROM public.item AS item_2
      ORDER BY item_2.label DESC NULLS LAST,
        item_2.rank ASC NULLS LAST,
        item_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'cursor', translate(
              encode(
                convert_to(
                  CAST(jsonb_build_array(page_1.label, page_1.rank, page_1.id) AS TEXT), 'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            ),
            'node', json_build_object('id', page_1.id, 'rank', page_1.rank, 'label', page_1.label)
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
