WITH affected_1 AS (
  INSERT INTO public.account (id, email, hits)
  SELECT objects_2.id AS id,
    objects_2.email AS email,
    objects_2.hits AS hits
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS text[]), CAST($3 AS integer[])) AS objects_2(
    id, email, hits
  ) ON CONFLICT (lower(email))
  WHERE ((hits > 0)) DO NOTHING
  RETURNING public.account.id AS id
)
SELECT (
  SELECT (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || ', "records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || '}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["{\"8\",\"9\"}", "{\"A@X\",\"i@x\"}", "{\"1\",\"1\"}"]

-- afterwards:
-- [1, "a@x", "Ann", 5]
-- [2, "b@x", "Ben", 0]
-- [9, "i@x", null, 1]
