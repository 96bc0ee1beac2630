WITH affected_1 AS (DELETE FROM public.account AS account_2 RETURNING 1 AS one)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST('1' AS bigint)) THEN to_json(
      CAST('portico: delete impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
    )
    ELSE json_build_object('affectedCount', count(*))
    END AS anon_2
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- []

-- afterwards:
-- [2]
