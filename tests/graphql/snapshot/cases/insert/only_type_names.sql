WITH affected_1 AS (
  INSERT INTO public.book (author_id) VALUES (DEFAULT), (DEFAULT) RETURNING 1 AS one
)
SELECT CAST(
  (
    SELECT json_build_object('__typename', 'BookInsertResponse') AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- []

-- afterwards:
-- [3]
