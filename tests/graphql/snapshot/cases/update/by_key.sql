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
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || ', "records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "email" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_1.email) AS TEXT), 'null'
          ) || ', "age" : ' || coalesce(CAST(affected_1.age AS TEXT), 'null') || ', "note" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_1.note) AS TEXT), 'null'
          ) || ', "postCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT picked_4.title AS title,
                  pg_catalog.row_number() OVER () AS position,
                  pg_catalog.count(*) OVER () AS count
                FROM (
                  SELECT post_3.title AS title
                  FROM public.post AS post_3
                  WHERE post_3.account_id = affected_1.id
                  ORDER BY post_3.id ASC
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
-- ["31", "1"]

-- afterwards:
-- [1, "a@x", 31, null]
-- [2, "b@x", 40, "n"]
-- [3, "c@x", 50, null]
