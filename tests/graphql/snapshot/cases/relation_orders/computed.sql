SELECT (
  WITH page_1 AS (
    SELECT account_2.id AS id,
      "public"."full_name"(CAST(ROW("account_2".*) AS "public"."account")) AS ordered_by
    FROM public.account AS account_2
    ORDER BY "public"."full_name"(CAST(ROW("account_2".*) AS "public"."account")) DESC NULLS FIRST,
      account_2.id ASC
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
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT post_4.title AS title
      FROM public.post AS post_4
      LEFT OUTER JOIN public.account AS post_4_r1 ON post_4_r1.id = post_4.account_id
      ORDER BY
      CASE
      WHEN ((ROW("post_4_r1".*) IS NULL) IS false) THEN "public"."full_name"(
        CAST(ROW("post_4_r1".*) AS "public"."account")
      )
      END DESC NULLS LAST,
        post_4.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"title" : ' || coalesce(
              CAST(pg_catalog.to_json(page_3.title) AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2;
-- []
