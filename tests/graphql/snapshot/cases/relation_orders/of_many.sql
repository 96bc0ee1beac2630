SELECT (
  WITH page_1 AS (
    SELECT post_2.id AS id,
      post_2.title AS title,
      post_2_r2.value AS ordered_by
    FROM public.post AS post_2
    LEFT OUTER JOIN LATERAL (
      SELECT pg_catalog.count(*) AS value
      FROM public.comment AS post_2_r1
      WHERE post_2_r1.post_id = post_2.id
    ) AS post_2_r2 ON true
    ORDER BY post_2_r2.value DESC,
      post_2.id ASC
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
                      CAST(pg_catalog.jsonb_build_array(page_1.ordered_by, page_1.id) AS TEXT),
                      'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"title" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.title) AS TEXT), 'null'
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
      SELECT picked_5.email AS email,
        pg_catalog.row_number() OVER () AS position,
        pg_catalog.count(*) OVER () AS count
      FROM (
        SELECT account_4.email AS email
        FROM public.account AS account_4
        LEFT OUTER JOIN LATERAL (
          SELECT "pg_catalog"."sum"(account_4_r1.score) AS value
          FROM public.post AS account_4_r1
          WHERE account_4_r1.account_id = account_4.id
        ) AS account_4_r2 ON true
        ORDER BY account_4_r2.value ASC NULLS FIRST,
          account_4.id DESC
        LIMIT 2
      ) AS picked_5
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"email" : ' || coalesce(
              CAST(pg_catalog.to_json(page_3.email) AS TEXT), 'null'
            ) || '}}'
          ), ', '
          ORDER BY page_3.position DESC
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2;
-- []
