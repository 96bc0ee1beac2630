SELECT (
  WITH page_1 AS (
    SELECT item_2.id AS id
    FROM public.item AS item_2
    WHERE item_2.n IS NULL
    ORDER BY item_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT item_4.id AS id
      FROM public.item AS item_4
      WHERE item_4.n IS NOT NULL
      ORDER BY item_4.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2,
  (
    WITH page_5 AS (
      SELECT item_6.id AS id
      FROM public.item AS item_6
      WHERE CAST(NULL AS boolean)
      ORDER BY item_6.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_5.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_5
  ) AS anon_3,
  (
    WITH page_7 AS (
      SELECT item_8.id AS id
      FROM public.item AS item_8
      WHERE CAST(NULL AS boolean)
      ORDER BY item_8.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_7.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_7
  ) AS anon_4,
  (
    WITH page_9 AS (
      SELECT item_10.id AS id FROM public.item AS item_10 ORDER BY item_10.id ASC LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_9.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_9
  ) AS anon_5;
-- []
