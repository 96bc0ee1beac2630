SELECT CAST(
  to_json(
    "public"."add_up"(
      "a" => CAST($1 AS integer), "b" => CAST($2 AS integer), "c" => CAST($3 AS integer)
    )
  ) AS TEXT
) AS anon_1,
  CAST(to_json("public"."add_up"("a" => CAST($1 AS integer), "c" => CAST($4 AS integer))) AS TEXT) AS anon_2,
  CAST(to_json("public"."add_up"("a" => CAST($1 AS integer))) AS TEXT) AS anon_3,
  CAST(
    to_json("public"."add_up"("a" => CAST($1 AS integer), "b" => CAST(NULL AS integer))) AS TEXT
  ) AS anon_4,
  CAST(to_json(CAST("public"."doubled"("numbers" => CAST($5 AS integer[])) AS text[])) AS TEXT) AS anon_5,
  CAST(to_json("public"."joined"(VARIADIC "words" => CAST($6 AS text[]))) AS TEXT) AS anon_6,
  CAST(to_json("public"."document"() #>> '{}') AS TEXT) AS anon_7;
-- ["1", "2", "3", "1", "{\"1\",\"2\"}", "{\"x\",\"y\"}"]
