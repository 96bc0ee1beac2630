SELECT (
  WITH page_1 AS (
    SELECT account_6.id AS id FROM public.account AS account_6 ORDER BY account_6.id ASC LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"teamCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT team_4.name AS name,
                  team_4.id AS id
                FROM public.team AS team_4
                WHERE EXISTS (
                  SELECT
                  FROM public.membership AS membership_5
                  WHERE (page_1.id = membership_5.account_id)
                  AND (team_4.id = membership_5.team_id)
                  AND membership_5.role IS NOT NULL
                )
                ORDER BY team_4.name ASC NULLS LAST,
                  team_4.id ASC
                LIMIT 5
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"name" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_2.name) AS TEXT), 'null'
                      ) || '}, "membership" : ' || coalesce(
                        (
                          SELECT (
                            '{"role" : ' || coalesce(
                              CAST(pg_catalog.to_json(membership_3.role) AS TEXT), 'null'
                            ) || '}'
                          ) AS json_1
                          FROM public.membership AS membership_3
                          WHERE (page_1.id = membership_3.account_id)
                          AND (page_2.id = membership_3.team_id)
                        ),
                        'null'
                      ) || '}'
                    ), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_2
            ),
            'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
