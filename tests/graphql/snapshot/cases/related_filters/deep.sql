SELECT (
  WITH page_1 AS (
    SELECT team_2.id AS id
    FROM public.team AS team_2
    WHERE EXISTS (
      SELECT
      FROM public.membership AS membership_3
      WHERE (membership_3.team_id = team_2.id)
      AND membership_3.role IS NOT NULL
      AND (
        EXISTS (
          SELECT
          FROM public.account AS account_4
          WHERE (account_4.id = membership_3.account_id)
          AND (
            EXISTS (
              SELECT
              FROM public.post AS post_5
              WHERE (post_5.account_id = account_4.id)
              AND (
                EXISTS (SELECT FROM public.comment AS comment_6 WHERE comment_6.post_id = post_5.id)
              )
            )
          )
        )
      )
    )
    ORDER BY team_2.id ASC
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
) AS anon_1;
-- []
