SELECT CAST(
  (
    SELECT json_build_object('id', register_1.id, 'email', register_1.email) AS json_build_object_1
    FROM "public"."register"("address" => CAST($1 AS text)) AS register_1
    WHERE (ROW("register_1".*) IS NULL) IS false
    LIMIT 1
  ) AS TEXT
) AS anon_1;
-- ["new@x"]

-- afterwards:
-- ["a@x"]
-- ["b@x"]
-- ["c@x"]
-- ["new@x"]
