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
  CAST(
    to_json(
      (
        SELECT
        CASE
        WHEN (coalesce(array_ndims(anon_7.value), 1) = 1) THEN CAST(anon_7.value AS text[])
        END AS anon_6
        FROM "public"."doubled"("numbers" => CAST($5 AS integer[])) AS anon_7(value)
      )
    ) AS TEXT
  ) AS anon_5,
  CAST(to_json("public"."joined"(VARIADIC "words" => CAST($6 AS text[]))) AS TEXT) AS anon_8,
  CAST(to_json("public"."document"() #>> '{}') AS TEXT) AS anon_9;
-- ["1", "2", "3", "1", "{\"1\",\"2\"}", "{\"x\",\"y\"}"]
