SELECT CAST(
  (
    SELECT json_build_object('id', account_1.id) AS json_build_object_1
    FROM public.account AS account_1
    WHERE account_1.email = CAST($1 AS text)
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object('role', membership_2.role) AS json_build_object_2
      FROM public.membership AS membership_2
      WHERE (membership_2.account_id = CAST($2 AS integer))
      AND (membership_2.team_id = CAST($3 AS integer))
    ) AS TEXT
  ) AS anon_2,
  CAST(
    (
      SELECT json_build_object('name', account_3.name) AS json_build_object_3
      FROM public.account AS account_3
      WHERE account_3.id = CAST($4 AS integer)
    ) AS TEXT
  ) AS anon_3;
-- ["a@x", "1", "2", "1"]
