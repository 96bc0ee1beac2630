SELECT (
  SELECT ('{"id" : ' || coalesce(CAST(account_1.id AS TEXT), 'null') || '}') AS json_1
  FROM public.account AS account_1
  WHERE account_1.email = CAST($1 AS text)
) AS anon_1,
  (
    SELECT (
      '{"role" : ' || coalesce(CAST(pg_catalog.to_json(membership_2.role) AS TEXT), 'null') || '}'
    ) AS json_2
    FROM public.membership AS membership_2
    WHERE (membership_2.account_id = CAST($2 AS integer))
    AND (membership_2.team_id = CAST($3 AS integer))
  ) AS anon_2,
  (
    SELECT (
      '{"name" : ' || coalesce(CAST(pg_catalog.to_json(account_3.name) AS TEXT), 'null') || '}'
    ) AS json_3
    FROM public.account AS account_3
    WHERE account_3.id = CAST($4 AS integer)
  ) AS anon_3;
-- ["a@x", "1", "2", "1"]
