SELECT (
  WITH page_1 AS (
    SELECT account_6.email AS email,
      account_6.id AS id
    FROM public.account AS account_6
    ORDER BY account_6.id ASC
    LIMIT 1
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"email" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.email) AS TEXT), 'null'
          ) || ', "blogPostCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT picked_5.title AS title,
                  picked_5.account_id AS account_id,
                  pg_catalog.row_number() OVER () AS position,
                  pg_catalog.count(*) OVER () AS count
                FROM (
                  SELECT blog_post_4.title AS title,
                    blog_post_4.account_id AS account_id
                  FROM public.blog_post AS blog_post_4
                  WHERE blog_post_4.account_id = page_1.id
                  ORDER BY blog_post_4.id DESC
                  LIMIT 2
                ) AS picked_5
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"title" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_2.title) AS TEXT), 'null'
                      ) || ', "account" : ' || coalesce(
                        (
                          SELECT ('{"id" : ' || coalesce(CAST(account_3.id AS TEXT), 'null') || '}')
                          FROM public.account AS account_3
                          WHERE account_3.id = page_2.account_id
                        ),
                        'null'
                      ) || '}}'
                    ), ', '
                    ORDER BY page_2.position DESC
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
