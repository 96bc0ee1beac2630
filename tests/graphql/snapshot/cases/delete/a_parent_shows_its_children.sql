WITH affected_1 AS (
  DELETE FROM public.account AS account_5
  WHERE account_5.email = CAST($1 AS text)
  RETURNING account_5.id AS id,
    CAST(ROW("account_5".*) AS "public"."account") AS row
)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST('1' AS bigint)) THEN to_json(
      CAST('portico: delete impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
    )
    ELSE json_build_object(
      'affectedCount', count(*),
      'records', coalesce(
        json_agg(
          json_build_object(
            'id', affected_1.id,
            'nodeId', translate(
              encode(
                convert_to(
                  CAST(jsonb_build_array('public', 'account', affected_1.id) AS TEXT), 'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            ),
            'post_count', CAST("public"."_post_count"(affected_1.row) AS TEXT),
            'postCollection', (
              WITH page_2 AS (
                SELECT post_4.title AS title,
                  post_4.account_id AS account_id
                FROM public.post AS post_4
                WHERE post_4.account_id = affected_1.id
                ORDER BY post_4.id ASC NULLS LAST
                LIMIT 30
              )
              SELECT json_build_object(
                'edges', coalesce(
                  json_agg(
                    json_build_object(
                      'node', json_build_object(
                        'title', page_2.title,
                        'account', (
                          SELECT json_build_object('email', account_3.email) AS json_build_object_2
                          FROM public.account AS account_3
                          WHERE account_3.id = page_2.account_id
                        )
                      )
                    )
                  ),
                  '[]'
                )
              ) AS json_build_object_1
              FROM page_2
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
-- ["a@x"]

-- afterwards:
-- ["account", 2]
-- ["post", 3]
