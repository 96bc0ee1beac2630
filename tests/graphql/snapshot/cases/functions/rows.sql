SELECT (
  SELECT (
    '{"id" : ' || coalesce(CAST(by_email_1.id AS TEXT), 'null') || ', "nodeId" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.translate(
            pg_catalog.encode(
              pg_catalog.convert_to(
                CAST(pg_catalog.jsonb_build_array('public', 'account', by_email_1.id) AS TEXT),
                'UTF8'
              ),
              'base64'
            ),
            E'\n',
            ''
          )
        ) AS TEXT
      ),
      'null'
    ) || ', "email" : ' || coalesce(CAST(pg_catalog.to_json(by_email_1.email) AS TEXT), 'null') || '}'
  ) AS json_1
  FROM "public"."by_email"("address" => CAST($1 AS text)) AS by_email_1
  WHERE (ROW("by_email_1".*) IS NULL) IS false
  LIMIT 1
) AS anon_1,
  (
    SELECT ('{"id" : ' || coalesce(CAST(by_email_2.id AS TEXT), 'null') || '}') AS json_2
    FROM "public"."by_email"("address" => CAST($2 AS text)) AS by_email_2
    WHERE (ROW("by_email_2".*) IS NULL) IS false
    LIMIT 1
  ) AS anon_2,
  (
    SELECT (
      '{"email" : ' || coalesce(CAST(pg_catalog.to_json(oldest_3.email) AS TEXT), 'null') || '}'
    ) AS json_3
    FROM "public"."oldest"() AS oldest_3
    WHERE (ROW("oldest_3".*) IS NULL) IS false
    LIMIT 1
  ) AS anon_3;
-- ["a@x", "nobody"]
