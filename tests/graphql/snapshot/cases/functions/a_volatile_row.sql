SELECT (
  SELECT (
    '{"id" : ' || coalesce(CAST(register_1.id AS TEXT), 'null') || ', "email" : ' || coalesce(
      CAST(pg_catalog.to_json(register_1.email) AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM "public"."register"("address" => CAST($1 AS text)) AS register_1
  WHERE (ROW("register_1".*) IS NULL) IS false
  LIMIT 1
) AS anon_1;
-- ["new@x"]

-- afterwards:
-- ["a@x"]
-- ["b@x"]
-- ["c@x"]
-- ["new@x"]
