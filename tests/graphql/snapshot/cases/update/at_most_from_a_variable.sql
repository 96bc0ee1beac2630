WITH affected_1 AS (
  UPDATE public.account AS account_2
  SET note=CAST($1 AS text)
  WHERE account_2.age > CAST($2 AS integer)
  RETURNING account_2.id AS id,
    account_2.note AS note
)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST($3 AS bigint)) THEN to_json(
      CAST('portico: update impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
    )
    ELSE json_build_object(
      'affectedCount', count(*),
      'records', coalesce(
        json_agg(json_build_object('id', affected_1.id, 'note', affected_1.note)), '[]'
      )
    )
    END AS anon_2
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["changed", "30", "2"]

-- afterwards:
-- [1, "n"]
-- [2, "changed"]
-- [3, "changed"]
