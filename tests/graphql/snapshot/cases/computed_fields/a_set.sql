SELECT (
  WITH page_1 AS (
    SELECT CAST(ROW("account_6".*) AS "public"."account") AS row
    FROM public.account AS account_6
    ORDER BY account_6.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"posts" : ' || coalesce(
            (
              WITH page_3 AS (
                SELECT picked_5.title AS title,
                  pg_catalog.row_number() OVER () AS position,
                  pg_catalog.count(*) OVER () AS count
                FROM (
                  SELECT posts_4.title AS title
                  FROM "public"."posts"(page_1.row) AS posts_4
                  WHERE posts_4.id < CAST($1 AS integer)
                  ORDER BY posts_4.id DESC NULLS FIRST
                  LIMIT 3
                ) AS picked_5
              )
              SELECT (
                '{"totalCount" : ' || coalesce(
                  CAST(
                    pg_catalog.to_json(
                      (
                        SELECT pg_catalog.count(*) AS count_1
                        FROM "public"."posts"(page_1.row) AS posts_2
                        WHERE posts_2.id < CAST($1 AS integer)
                      )
                    ) AS TEXT
                  ),
                  'null'
                ) || ', "edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"title" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_3.title) AS TEXT), 'null'
                      ) || '}}'
                    ), ', '
                    ORDER BY page_3.position DESC
                  ) FILTER (WHERE page_3.position <= 2) || ']',
                  '[]'
                ) || ', "pageInfo" : {"hasPreviousPage" : ' || coalesce(
                  CAST(pg_catalog.to_json(pg_catalog.count(page_3.position) > 2) AS TEXT), 'null'
                ) || '}}'
              )
              FROM page_3
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
-- ["3"]
