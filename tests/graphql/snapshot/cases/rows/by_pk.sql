SELECT (
  SELECT (
    '{"nodeId" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.translate(
            pg_catalog.encode(
              pg_catalog.convert_to(
                CAST(pg_catalog.jsonb_build_array('public', 'account', account_1.id) AS TEXT),
                'UTF8'
              ),
              'base64'
            ),
            E'\n',
            ''
          )
        ) AS TEXT
      ),
      'null'
    ) || ', "email" : ' || coalesce(CAST(pg_catalog.to_json(account_1.email) AS TEXT), 'null') || '}'
  ) AS json_1
  FROM public.account AS account_1
  WHERE account_1.id = CAST($1 AS integer)
) AS anon_1,
  (
    SELECT (
      '{"Value" : ' || coalesce(CAST(pg_catalog.to_json("Mixed_Key_2"."Value") AS TEXT), 'null') || '}'
    ) AS json_2
    FROM public."Mixed Key" AS "Mixed_Key_2"
    WHERE ("Mixed_Key_2"."A b" = CAST($1 AS integer))
    AND ("Mixed_Key_2".c = CAST($2 AS text))
  ) AS anon_2,
  (
    SELECT ('{"id" : ' || coalesce(CAST(account_3.id AS TEXT), 'null') || '}') AS json_3
    FROM public.account AS account_3
    WHERE account_3.id = CAST($3 AS integer)
  ) AS anon_3;
-- ["1", "x", "7"]
