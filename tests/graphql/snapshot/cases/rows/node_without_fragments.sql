SELECT CAST(
  (
    SELECT json_build_object('__typename', 'account', 'email', account_1.email) AS json_build_object_1
    FROM public.account AS account_1
    WHERE account_1.id = CAST($1 AS integer)
  ) AS TEXT
) AS anon_1;
-- ["1"]
