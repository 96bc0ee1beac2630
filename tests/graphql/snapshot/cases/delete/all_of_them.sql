WITH affected_1 AS (DELETE FROM public.post AS post_2 RETURNING post_2.id AS id)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST($1 AS bigint)) THEN to_json(
      CAST('portico: delete impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
    )
    ELSE json_build_object(
      'affectedCount', count(*),
      'records', coalesce(json_agg(json_build_object('id', affected_1.id)), '[]')
    )
    END AS anon_2
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["3"]

-- afterwards:
-- [0]
