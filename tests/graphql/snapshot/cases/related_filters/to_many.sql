SELECT (
  WITH page_1 AS (
    SELECT account_2.id AS id
    FROM public.account AS account_2
    WHERE EXISTS (
      SELECT
      FROM public.post AS post_3
      WHERE (post_3.account_id = account_2.id)
      AND (post_3.score >= CAST($1 AS numeric))
    )
    ORDER BY account_2.id ASC
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
    WITH page_4 AS (
      SELECT account_5.id AS id
      FROM public.account AS account_5
      WHERE NOT (
        EXISTS (
          SELECT
          FROM public.post AS post_6
          WHERE (post_6.account_id = account_5.id)
          AND (post_6.score >= CAST($1 AS numeric))
        )
      )
      ORDER BY account_5.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_4.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_4
  ) AS anon_2,
  (
    WITH page_7 AS (
      SELECT account_8.id AS id
      FROM public.account AS account_8
      WHERE NOT (
        EXISTS (
          SELECT
          FROM public.post AS post_9
          WHERE (post_9.account_id = account_8.id)
          AND (post_9.score >= CAST($2 AS numeric)) IS NOT true
        )
      )
      ORDER BY account_8.id ASC
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
  ) AS anon_3,
  (
    WITH page_10 AS (
      SELECT account_11.id AS id
      FROM public.account AS account_11
      WHERE NOT (
        EXISTS (SELECT FROM public.post AS post_12 WHERE post_12.account_id = account_11.id)
      )
      ORDER BY account_11.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_10.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_10
  ) AS anon_4;
-- ["6", "4"]
