SELECT (
  SELECT (
    '{"a1" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a2" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a3" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a4" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a5" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a6" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a7" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a8" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a9" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a10" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a11" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a12" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a13" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a14" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a15" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a16" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a17" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a18" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a19" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a20" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a21" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a22" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a23" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a24" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a25" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a26" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a27" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a28" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a29" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a30" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a31" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a32" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a33" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a34" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a35" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a36" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a37" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a38" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a39" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a40" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a41" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a42" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a43" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a44" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a45" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a46" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a47" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a48" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    ) || ', "a49" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "a50" : ' || coalesce(
      CAST(account_1.id AS TEXT), 'null'
    )
  ) || (
    ', "a51" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || ', "email" : ' || coalesce(
      CAST(pg_catalog.to_json(account_1.email) AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM public.account AS account_1
  WHERE account_1.id = CAST($1 AS integer)
) AS anon_1;
-- ["1"]
