SELECT CAST(
  (
    WITH page_1 AS (
      SELECT picked_3.id AS id,
        row_number() OVER () AS position,
        count(*) OVER () AS count
      FROM (
        SELECT item_2.id AS id FROM public.item AS item_2 ORDER BY item_2.id ASC NULLS LAST LIMIT 1
      ) AS picked_3
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'cursor', translate(
              encode(convert_to(CAST(jsonb_build_array(page_1.id) AS TEXT), 'UTF8'), 'base64'),
              E'\n',
              ''
            )
          )
        ) FILTER (WHERE page_1.position <= 0),
        '[]'
      ),
      'pageInfo', json_build_object(
        'startCursor', NULL,
        'endCursor', NULL,
        'hasNextPage', count(page_1.position) > 0,
        'hasPreviousPage', false
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
