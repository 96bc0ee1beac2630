SELECT CAST(
  (
    SELECT json_build_object(
      'what', write_entry_1.what,
      'account', (
        SELECT json_build_object('email', account_2.email) AS json_build_object_2
        FROM public.account AS account_2
        WHERE account_2.id = write_entry_1.account_id
      )
    ) AS json_build_object_1
    FROM "public"."write_entry"("what" => CAST($1 AS text)) AS write_entry_1
    WHERE (ROW("write_entry_1".*) IS NULL) IS false
    LIMIT 1
  ) AS TEXT
) AS anon_1;
-- ["third"]

-- afterwards:
-- ["first"]
-- ["second"]
-- ["third"]
