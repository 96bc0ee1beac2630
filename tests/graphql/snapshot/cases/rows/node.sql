SELECT CAST(
  (
    SELECT json_build_object(
      '__typename', 'Mixed',
      'nodeId', translate(
        encode(
          convert_to(
            CAST(
              jsonb_build_array('public', 'Mixed Key', "Mixed_Key_1"."A b", "Mixed_Key_1".c) AS TEXT
            ),
            'UTF8'
          ),
          'base64'
        ),
        E'\n',
        ''
      ),
      'ab', "Mixed_Key_1"."A b",
      'c', "Mixed_Key_1".c,
      'Value', "Mixed_Key_1"."Value"
    ) AS json_build_object_1
    FROM public."Mixed Key" AS "Mixed_Key_1"
    WHERE ("Mixed_Key_1"."A b" = CAST($1 AS integer))
    AND ("Mixed_Key_1".c = CAST($2 AS text))
  ) AS TEXT
) AS anon_1;
-- ["1", "x"]
