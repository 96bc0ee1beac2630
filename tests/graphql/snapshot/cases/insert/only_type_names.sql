WITH affected_1 AS (
  INSERT INTO public.book (author_id) VALUES (DEFAULT), (DEFAULT) RETURNING 1 AS one
)
SELECT (SELECT ('{"__typename" : "BookInsertResponse"}') AS json_1 FROM affected_1 HAVING true) AS anon_1;
-- []

-- afterwards:
-- [3]
