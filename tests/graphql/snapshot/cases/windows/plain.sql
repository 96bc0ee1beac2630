SELECT (
  WITH page_1 AS (
    SELECT picked_3.id AS id,
      row_number() OVER () AS position,
      count(*) OVER () AS count
    FROM (
      SELECT item_2.id AS id FROM public.item AS item_2 ORDER BY item_2.id ASC NULLS LAST LIMIT 4
    ) AS picked_3
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              to_json(
                translate(
                  encode(convert_to(CAST(jsonb_build_array(page_1.id) AS TEXT), 'UTF8'), 'base64'),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'
        ), ', '
      ) FILTER (WHERE page_1.position <= 3) || ']',
      '[]'
    ) || ', "pageInfo" : {"startCursor" : ' || coalesce(
      CAST(
        to_json(
          max(
            translate(
              encode(convert_to(CAST(jsonb_build_array(page_1.id) AS TEXT), 'UTF8'), 'base64'),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_1.position = 1)
        ) AS TEXT
      ),
      'null'
    ) || ', "endCursor" : ' || coalesce(
      CAST(
        to_json(
          max(
            translate(
              encode(convert_to(CAST(jsonb_build_array(page_1.id) AS TEXT), 'UTF8'), 'base64'),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_1.position = least(page_1.count, 3))
        ) AS TEXT
      ),
      'null'
    ) || ', "hasNextPage" : ' || coalesce(
      CAST(to_json(count(page_1.position) > 3) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(CAST(to_json(false) AS TEXT), 'null') || '}}'
  )
  FROM page_1
) AS anon_1;
-- []
