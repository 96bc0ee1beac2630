SELECT (
  WITH page_1 AS (
    SELECT item_2.rank AS rank,
      item_2.id AS id
    FROM public.item AS item_2
    ORDER BY item_2.rank ASC NULLS FIRST,
      item_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array(page_1.rank, page_1.id) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "rank" : ' || coalesce(
            CAST(page_1.rank AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT item_4.id AS id,
        item_4.rank AS rank
      FROM public.item AS item_4
      ORDER BY item_4.rank ASC NULLS LAST,
        item_4.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || ', "rank" : ' || coalesce(
              CAST(page_3.rank AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2,
  (
    WITH page_5 AS (
      SELECT item_6.id AS id,
        item_6.rank AS rank
      FROM public.item AS item_6
      ORDER BY item_6.rank DESC NULLS FIRST,
        item_6.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_5.id AS TEXT), 'null') || ', "rank" : ' || coalesce(
              CAST(page_5.rank AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_5
  ) AS anon_3,
  (
    WITH page_7 AS (
      SELECT item_8.id AS id,
        item_8.rank AS rank
      FROM public.item AS item_8
      ORDER BY item_8.rank DESC NULLS LAST,
        item_8.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"id" : ' || coalesce(CAST(page_7.id AS TEXT), 'null') || ', "rank" : ' || coalesce(
              CAST(page_7.rank AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_7
  ) AS anon_4;
-- []
