WITH affected_1 AS (
  UPDATE public.account AS account_4
  SET email=CAST($1 AS text)
  WHERE account_4.id = CAST($2 AS integer)
  RETURNING CAST(ROW("account_4".*) AS "public"."account") AS row
)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST('1' AS bigint)) THEN to_json(
      CAST('portico: update impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
    )
    ELSE json_build_object(
      'records', coalesce(
        json_agg(
          json_build_object(
            'shout', "public"."_shout"(affected_1.row),
            'posts', json_build_object(
              'totalCount', (
                SELECT count(*) AS count_1 FROM "public"."posts"(affected_1.row) AS posts_2
              )
            ),
            'newest', (
              SELECT json_build_object('title', newest_3.title) AS json_build_object_1
              FROM "public"."newest"(affected_1.row) AS newest_3
              WHERE (ROW("newest_3".*) IS NULL) IS false
              LIMIT 1
            )
          )
        ),
        '[]'
      )
    )
    END AS anon_2
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["new@x", "1"]
