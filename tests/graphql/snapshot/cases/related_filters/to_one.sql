SELECT (
  WITH page_1 AS (
    SELECT post_2.id AS id
    FROM public.post AS post_2
    WHERE EXISTS (
      SELECT
      FROM public.account AS account_3
      WHERE (account_3.id = post_2.account_id)
      AND (account_3.name = CAST($1 AS text))
      AND (
        EXISTS (SELECT FROM public.profile AS profile_4 WHERE profile_4.account_id = account_3.id)
      )
    )
    ORDER BY post_2.id ASC
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
    WITH page_5 AS (
      SELECT comment_6.id AS id
      FROM public.comment AS comment_6
      WHERE NOT (
        EXISTS (
          SELECT
          FROM public.account AS account_7
          WHERE (account_7.id = comment_6.account_id)
          AND (account_7.name = CAST($1 AS text))
        )
      )
      ORDER BY comment_6.id ASC
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
  ) AS anon_2,
  (
    WITH page_8 AS (
      SELECT comment_9.id AS id
      FROM public.comment AS comment_9
      WHERE NOT (
        EXISTS (SELECT FROM public.account AS account_10 WHERE account_10.id = comment_9.account_id)
      )
      ORDER BY comment_9.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_8.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_8
  ) AS anon_3;
-- ["Ann"]
