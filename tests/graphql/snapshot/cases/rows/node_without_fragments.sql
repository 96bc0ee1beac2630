SELECT (
  SELECT (
    '{"__typename" : "account", "email" : ' || coalesce(
      CAST(pg_catalog.to_json(account_1.email) AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM public.account AS account_1
  WHERE account_1.id = CAST($1 AS integer)
) AS anon_1;
-- ["1"]
