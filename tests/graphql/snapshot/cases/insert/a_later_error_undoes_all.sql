WITH affected_1 AS (
  INSERT INTO public.author (id, name)
  VALUES (CAST($1 AS integer), CAST($2 AS text))
  RETURNING 1 AS one
)
SELECT (
  SELECT (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["2", "Bob"]

WITH affected_1 AS (
  INSERT INTO public.book (author_id) VALUES (CAST($1 AS integer)) RETURNING 1 AS one
)
SELECT (
  SELECT (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["3"]

-- afterwards:
-- [1, 1]
