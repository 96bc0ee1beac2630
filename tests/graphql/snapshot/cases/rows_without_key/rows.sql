SELECT (
  SELECT (
    '{"__typename" : "entry", "what" : ' || coalesce(
      CAST(pg_catalog.to_json(last_entry_1.what) AS TEXT), 'null'
    ) || ', "at" : ' || coalesce(CAST(last_entry_1.at AS TEXT), 'null') || ', "shout" : ' || coalesce(
      CAST(
        pg_catalog.to_json("public"."shout"(CAST(ROW("last_entry_1".*) AS "public"."entry"))) AS TEXT
      ),
      'null'
    ) || ', "account" : ' || coalesce(
      (
        SELECT (
          '{"email" : ' || coalesce(CAST(pg_catalog.to_json(account_2.email) AS TEXT), 'null') || '}'
        )
        FROM public.account AS account_2
        WHERE account_2.id = last_entry_1.account_id
      ),
      'null'
    ) || '}'
  ) AS json_1
  FROM "public"."last_entry"() AS last_entry_1
  WHERE (ROW("last_entry_1".*) IS NULL) IS false
  LIMIT 1
) AS anon_1,
  (
    SELECT (
      '{"what" : ' || coalesce(CAST(pg_catalog.to_json(no_entry_3.what) AS TEXT), 'null') || '}'
    ) AS json_2
    FROM "public"."no_entry"() AS no_entry_3
    WHERE (ROW("no_entry_3".*) IS NULL) IS false
    LIMIT 1
  ) AS anon_2,
  (
    SELECT (
      '{"what" : ' || coalesce(CAST(pg_catalog.to_json(one_entry_4.what) AS TEXT), 'null') || '}'
    ) AS json_3
    FROM "public"."one_entry"() AS one_entry_4
    WHERE (ROW("one_entry_4".*) IS NULL) IS false
    LIMIT 1
  ) AS anon_3;
-- []
