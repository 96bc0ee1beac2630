SELECT pg_catalog.octet_length(
  pg_catalog.set_config(
    'portico.k1', coalesce(
      CAST(pg_catalog.array_agg(CAST(ROW("write_entry_3".*) AS "public"."entry")) AS TEXT), '{}'
    ),
    true
  )
) AS octet_length_1
FROM "public"."write_entry"("what" => CAST($1 AS text)) AS write_entry_3
WHERE (ROW("write_entry_3".*) IS NULL) IS false;
-- ["third"]

SELECT (
  SELECT (
    '{"what" : ' || coalesce(CAST(pg_catalog.to_json(write_entry_1.what) AS TEXT), 'null') || ', "account" : ' || coalesce(
      (
        SELECT (
          '{"email" : ' || coalesce(CAST(pg_catalog.to_json(account_2.email) AS TEXT), 'null') || '}'
        )
        FROM public.account AS account_2
        WHERE account_2.id = write_entry_1.account_id
      ),
      'null'
    ) || '}'
  ) AS json_1
  FROM pg_catalog.unnest(CAST(pg_catalog.current_setting('portico.k1') AS "public"."entry"[])) AS write_entry_1
  WHERE (ROW("write_entry_1".*) IS NULL) IS false
  LIMIT 1
) AS anon_1;
-- []

-- afterwards:
-- ["first"]
-- ["second"]
-- ["third"]
