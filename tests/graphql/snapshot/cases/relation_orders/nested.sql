SELECT (
  WITH page_1 AS (
    SELECT account_5.id AS id FROM public.account AS account_5 ORDER BY account_5.id ASC LIMIT 1
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"postCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT picked_4.title AS title,
                  pg_catalog.row_number() OVER () AS position,
                  pg_catalog.count(*) OVER () AS count
                FROM (
                  SELECT post_3.title AS title
                  FROM public.post AS post_3
                  LEFT OUTER JOIN LATERAL (
                    SELECT pg_catalog.count(*) AS value
                    FROM public.comment AS post_3_r1
                    WHERE post_3_r1.post_id = post_3.id
                  ) AS post_3_r2 ON true
                  WHERE post_3.account_id = page_1.id
                  ORDER BY post_3_r2.value DESC,
                    post_3.id ASC
                  LIMIT 2
                ) AS picked_4
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"title" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_2.title) AS TEXT), 'null'
                      ) || '}}'
                    ), ', '
                  ) FILTER (WHERE page_2.position <= 1) || ']',
                  '[]'
                ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
                  CAST(pg_catalog.to_json(pg_catalog.count(page_2.position) > 1) AS TEXT), 'null'
                ) || '}}'
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
) AS anon_1,
  (
    WITH page_6 AS (
      SELECT anyone_7.title AS title
      FROM "public"."anyone"() AS anyone_7
      LEFT OUTER JOIN public.account AS anyone_7_r1 ON anyone_7_r1.id = anyone_7.account_id
      ORDER BY anyone_7_r1.email DESC NULLS LAST,
        anyone_7.id ASC NULLS LAST
      LIMIT 1
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"title" : ' || coalesce(
              CAST(pg_catalog.to_json(page_6.title) AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_6
  ) AS anon_2;
-- []
