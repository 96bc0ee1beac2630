WITH affected_1 AS (
  UPDATE public.account AS account_2
  SET note=CAST($1 AS text)
  WHERE account_2.age > CAST($2 AS integer)
  RETURNING account_2.id AS id
)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST('1' AS bigint)) THEN to_json(
      CAST('portico: update impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
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
-- ["changed", "30"]

-- afterwards:
-- [1, "n"]
-- [2, "n"]
-- [3, null]
