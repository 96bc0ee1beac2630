WITH affected_1 AS (DELETE FROM public.account AS account_2 RETURNING 1 AS one)
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
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- []

-- afterwards:
-- [2]
