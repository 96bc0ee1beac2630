WITH affected_1 AS (DELETE FROM public.post AS post_2 RETURNING post_2.id AS id)
SELECT (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) > CAST($1 AS bigint)) THEN CAST(
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
        ('{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || '}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["3"]

-- afterwards:
-- [0]
