SELECT CAST(
  (
    SELECT json_build_object(
      '__typename', 'entry',
      'what', last_entry_1.what,
      'at', last_entry_1.at,
      'shout', "public"."shout"(CAST(ROW("last_entry_1".*) AS "public"."entry")),
      'account', (
        SELECT json_build_object('email', account_2.email) AS json_build_object_2
        FROM public.account AS account_2
        WHERE account_2.id = last_entry_1.account_id
      )
    ) AS json_build_object_1
    FROM "public"."last_entry"() AS last_entry_1
    WHERE (ROW("last_entry_1".*) IS NULL) IS false
    LIMIT 1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object('what', no_entry_3.what) AS json_build_object_3
      FROM "public"."no_entry"() AS no_entry_3
      WHERE (ROW("no_entry_3".*) IS NULL) IS false
      LIMIT 1
    ) AS TEXT
  ) AS anon_2,
  CAST(
    (
      SELECT json_build_object('what', one_entry_4.what) AS json_build_object_4
      FROM "public"."one_entry"() AS one_entry_4
      WHERE (ROW("one_entry_4".*) IS NULL) IS false
      LIMIT 1
    ) AS TEXT
  ) AS anon_3;
-- []
