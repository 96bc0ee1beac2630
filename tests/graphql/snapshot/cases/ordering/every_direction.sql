SELECT CAST(
  (
    WITH page_1 AS (
      SELECT item_2.rank AS rank,
        item_2.id AS id
      FROM public.item AS item_2
      ORDER BY item_2.rank ASC NULLS FIRST,
        item_2.id ASC NULLS LAST
      LIMIT 30
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
) AS anon_1,
  CAST(
    (
      WITH page_3 AS (
        SELECT item_4.id AS id,
          item_4.rank AS rank
        FROM public.item AS item_4
        ORDER BY item_4.rank ASC NULLS LAST,
          item_4.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object('node', json_build_object('id', page_3.id, 'rank', page_3.rank))
          ),
          '[]'
        )
      ) AS json_build_object_2
      FROM page_3
    ) AS TEXT
  ) AS anon_2,
  CAST(
    (
      WITH page_5 AS (
        SELECT item_6.id AS id,
          item_6.rank AS rank
        FROM public.item AS item_6
        ORDER BY item_6.rank DESC NULLS FIRST,
          item_6.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object('node', json_build_object('id', page_5.id, 'rank', page_5.rank))
          ),
          '[]'
        )
      ) AS json_build_object_3
      FROM page_5
    ) AS TEXT
  ) AS anon_3,
  CAST(
    (
      WITH page_7 AS (
        SELECT item_8.id AS id,
          item_8.rank AS rank
        FROM public.item AS item_8
        ORDER BY item_8.rank DESC NULLS LAST,
          item_8.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object('node', json_build_object('id', page_7.id, 'rank', page_7.rank))
          ),
          '[]'
        )
      ) AS json_build_object_4
      FROM page_7
    ) AS TEXT
  ) AS anon_4;
-- []
