WITH affected_1 AS (
  DELETE FROM public.account AS account_5
  WHERE account_5.email = CAST($1 AS text)
  RETURNING account_5.id AS id,
    CAST(ROW("account_5".*) AS "public"."account") AS row
)
SELECT (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) > CAST('1' AS bigint)) THEN CAST(
    CAST(
      'portico: delete impacts too many records | Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".; ' || CAST(
        pg_catalog.count(*) AS TEXT
      ) AS integer
    ) AS TEXT
  )
  ELSE (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || ', "records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(
                        pg_catalog.jsonb_build_array('public', 'account', affected_1.id) AS TEXT
                      ),
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
          ) || ', "post_count" : ' || coalesce(
            ('"' || CAST("public"."_post_count"(affected_1.row) AS TEXT) || '"'), 'null'
          ) || ', "postCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT post_4.title AS title,
                  post_4.account_id AS account_id
                FROM public.post AS post_4
                WHERE post_4.account_id = affected_1.id
                ORDER BY post_4.id ASC
                LIMIT 30
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"title" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_2.title) AS TEXT), 'null'
                      ) || ', "account" : ' || coalesce(
                        (
                          SELECT (
                            '{"email" : ' || coalesce(
                              CAST(pg_catalog.to_json(account_3.email) AS TEXT), 'null'
                            ) || '}'
                          )
                          FROM public.account AS account_3
                          WHERE account_3.id = page_2.account_id
                        ),
                        'null'
                      ) || '}}'
                    ), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_2
            ),
            'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["a@x"]

-- afterwards:
-- ["account", 2]
-- ["post", 3]
