SELECT CAST(
  (
    SELECT json_build_object(
      'nodeId', translate(
        encode(
          convert_to(CAST(jsonb_build_array('public', 'account', account_1.id) AS TEXT), 'UTF8'),
          'base64'
        ),
        E'\n',
        ''
      ),
      'email', account_1.email
    ) AS json_build_object_1
    FROM public.account AS account_1
    WHERE account_1.id = CAST($1 AS integer)
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object('Value', "Mixed_Key_2"."Value") AS json_build_object_2
      FROM public."Mixed Key" AS "Mixed_Key_2"
      WHERE ("Mixed_Key_2"."A b" = CAST($1 AS integer))
      AND ("Mixed_Key_2".c = CAST($2 AS text))
    ) AS TEXT
  ) AS anon_2,
  CAST(
    (
      SELECT json_build_object('id', account_3.id) AS json_build_object_3
      FROM public.account AS account_3
      WHERE account_3.id = CAST($3 AS integer)
    ) AS TEXT
  ) AS anon_3;
-- ["1", "x", "7"]
