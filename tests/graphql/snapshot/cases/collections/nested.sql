SELECT CAST(
  (
    WITH page_1 AS (
      SELECT account_6.email AS email,
        account_6.id AS id
      FROM public.account AS account_6
      ORDER BY account_6.id ASC NULLS LAST
      LIMIT 1
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'email', page_1.email,
              'blogPostCollection', (
                WITH page_2 AS (
                  SELECT picked_5.title AS title,
                    picked_5.account_id AS account_id,
                    row_number() OVER () AS position,
                    count(*) OVER () AS count
                  FROM (
                    SELECT blog_post_4.title AS title,
                      blog_post_4.account_id AS account_id
                    FROM public.blog_post AS blog_post_4
                    WHERE blog_post_4.account_id = page_1.id
                    ORDER BY blog_post_4.id DESC NULLS FIRST
                    LIMIT 2
                  ) AS picked_5
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(
                      json_build_object(
                        'node', json_build_object(
                          'title', page_2.title,
                          'account', (
                            SELECT json_build_object('id', account_3.id) AS json_build_object_3
                            FROM public.account AS account_3
                            WHERE account_3.id = page_2.account_id
                          )
                        )
                      )
                      ORDER BY page_2.position DESC
                    ),
                    '[]'
                  )
                ) AS json_build_object_2
                FROM page_2
              )
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
