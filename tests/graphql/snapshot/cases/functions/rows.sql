SELECT CAST(
  (
    SELECT json_build_object(
      'id', by_email_1.id,
      'nodeId', translate(
        encode(
          convert_to(CAST(jsonb_build_array('public', 'account', by_email_1.id) AS TEXT), 'UTF8'),
          'base64'
        ),
        E'\n',
        ''
      ),
      'email', by_email_1.email
    ) AS json_build_object_1
    FROM "public"."by_email"("address" => CAST($1 AS text)) AS by_email_1
    WHERE (ROW("by_email_1".*) IS NULL) IS false
    LIMIT 1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object('id', by_email_2.id) AS json_build_object_2
      FROM "public"."by_email"("address" => CAST($2 AS text)) AS by_email_2
      WHERE (ROW("by_email_2".*) IS NULL) IS false
      LIMIT 1
    ) AS TEXT
  ) AS anon_2,
  CAST(
    (
      SELECT json_build_object('email', oldest_3.email) AS json_build_object_3
      FROM "public"."oldest"() AS oldest_3
      WHERE (ROW("oldest_3".*) IS NULL) IS false
      LIMIT 1
    ) AS TEXT
  ) AS anon_3;
-- ["a@x", "nobody"]
