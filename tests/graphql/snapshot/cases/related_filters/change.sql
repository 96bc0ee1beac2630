WITH affected_1 AS (
  UPDATE public.account AS account_2
  SET hits=CAST($1 AS integer)
  WHERE EXISTS (SELECT FROM public.post AS post_3 WHERE post_3.account_id = account_2.id)
  RETURNING 1 AS one
)
SELECT (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) > CAST($2 AS bigint)) THEN CAST(
    CAST(
      'portico: update impacts too many records | Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".; ' || CAST(
        pg_catalog.count(*) AS TEXT
      ) AS integer
    ) AS TEXT
  )
  ELSE (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["1", "9"]

WITH affected_1 AS (
  DELETE FROM public.comment AS comment_2
  WHERE EXISTS (
    SELECT
    FROM public.post AS post_3
    WHERE (post_3.id = comment_2.post_id)
    AND (
      EXISTS (
        SELECT
        FROM public.account AS account_4
        WHERE (account_4.id = post_3.account_id)
        AND (account_4.email = CAST($1 AS text))
      )
    )
  )
  RETURNING comment_2.id AS id
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
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || '}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["b@x"]

-- afterwards:
-- [1, 1]
-- [2, 1]
-- [3, 0]
