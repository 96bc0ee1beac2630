WITH affected_1 AS (
  UPDATE public.account AS account_5
  SET age=CAST($1 AS integer),
    note=CAST(NULL AS text)
  WHERE account_5.id = CAST($2 AS integer)
  RETURNING account_5.id AS id,
    account_5.email AS email,
    account_5.age AS age,
    account_5.note AS note
)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST('1' AS bigint)) THEN to_json(
      CAST('portico: update impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
    )
    ELSE json_build_object(
      'affectedCount', count(*),
      'records', coalesce(
        json_agg(
          json_build_object(
            'id', affected_1.id,
            'email', affected_1.email,
            'age', affected_1.age,
            'note', affected_1.note,
            'postCollection', (
              WITH page_2 AS (
                SELECT picked_4.title AS title,
                  row_number() OVER () AS position,
                  count(*) OVER () AS count
                FROM (
                  SELECT post_3.title AS title
                  FROM public.post AS post_3
                  WHERE post_3.account_id = affected_1.id
                  ORDER BY post_3.id ASC NULLS LAST
                  LIMIT 2
                ) AS picked_4
              )
              SELECT json_build_object(
                'edges', coalesce(
                  json_agg(json_build_object('node', json_build_object('title', page_2.title))) FILTER (
                    WHERE page_2.position <= 1
                  ),
                  '[]'
                ),
                'pageInfo', json_build_object('hasNextPage', count(page_2.position) > 1)
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
-- ["31", "1"]

-- afterwards:
-- [1, "a@x", 31, null]
-- [2, "b@x", 40, "n"]
-- [3, "c@x", 50, null]
