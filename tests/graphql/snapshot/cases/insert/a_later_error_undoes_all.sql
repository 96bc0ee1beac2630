WITH affected_1 AS (
  INSERT INTO public.author (id, name)
  VALUES (CAST($1 AS integer), CAST($2 AS text))
  RETURNING 1 AS one
)
SELECT CAST(
  (
    SELECT json_build_object('affectedCount', count(*)) AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["2", "Bob"]

WITH affected_1 AS (
  INSERT INTO public.book (author_id) VALUES (CAST($1 AS integer)) RETURNING 1 AS one
)
SELECT CAST(
  (
    SELECT json_build_object('affectedCount', count(*)) AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["3"]

-- afterwards:
-- [1, 1]
