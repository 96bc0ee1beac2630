WITH affected_1 AS (
  UPDATE public.account AS account_2
  SET note=CAST($1 AS text)
  WHERE account_2.age > CAST($2 AS integer)
  RETURNING account_2.id AS id
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
        ('{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || '}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["changed", "30"]

-- afterwards:
-- [1, "n"]
-- [2, "n"]
-- [3, null]
