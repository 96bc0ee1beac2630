WITH affected_1 AS (
  UPDATE public.account AS account_4
  SET email=CAST($1 AS text)
  WHERE account_4.id = CAST($2 AS integer)
  RETURNING CAST(ROW("account_4".*) AS "public"."account") AS row
)
SELECT (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) > CAST('1' AS bigint)) THEN CAST(
    CAST(
      'portico: update impacts too many records | Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".; ' || CAST(
        pg_catalog.count(*) AS TEXT
      ) AS integer
    ) AS TEXT
  )
  ELSE (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"shout" : ' || coalesce(
            CAST(pg_catalog.to_json("public"."_shout"(affected_1.row)) AS TEXT), 'null'
          ) || ', "posts" : {"totalCount" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                (
                  SELECT pg_catalog.count(*) AS count_1
                  FROM "public"."posts"(affected_1.row) AS posts_2
                )
              ) AS TEXT
            ),
            'null'
          ) || '}, "newest" : ' || coalesce(
            (
              SELECT (
                '{"title" : ' || coalesce(CAST(pg_catalog.to_json(newest_3.title) AS TEXT), 'null') || '}'
              ) AS json_1
              FROM "public"."newest"(affected_1.row) AS newest_3
              WHERE (ROW("newest_3".*) IS NULL) IS false
              LIMIT 1
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
-- ["new@x", "1"]
