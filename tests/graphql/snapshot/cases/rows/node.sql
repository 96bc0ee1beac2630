SELECT (
  SELECT (
    '{"__typename" : "Mixed", "nodeId" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.translate(
            pg_catalog.encode(
              pg_catalog.convert_to(
                CAST(
                  pg_catalog.jsonb_build_array(
                    'public', 'Mixed Key', "Mixed_Key_1"."A b", "Mixed_Key_1".c
                  ) AS TEXT
                ),
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
    ) || ', "ab" : ' || coalesce(CAST("Mixed_Key_1"."A b" AS TEXT), 'null') || ', "c" : ' || coalesce(
      CAST(pg_catalog.to_json("Mixed_Key_1".c) AS TEXT), 'null'
    ) || ', "Value" : ' || coalesce(
      CAST(pg_catalog.to_json("Mixed_Key_1"."Value") AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM public."Mixed Key" AS "Mixed_Key_1"
  WHERE ("Mixed_Key_1"."A b" = CAST($1 AS integer))
  AND ("Mixed_Key_1".c = CAST($2 AS text))
) AS anon_1;
-- ["1", "x"]
