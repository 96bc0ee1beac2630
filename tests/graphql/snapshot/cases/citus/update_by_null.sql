WITH affected_1 AS (
  UPDATE public.book AS book_2
  SET stock=CAST($1 AS integer)
  WHERE (book_2.tenant_id = CAST($1 AS integer))
  AND nullif(book_2.title IS NULL, book_2.title IS NULL)
  RETURNING 1 AS one
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
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["1"]
