SELECT coalesce(
  CAST(
    "public"."add_up"(
      "a" => CAST($1 AS integer), "b" => CAST($2 AS integer), "c" => CAST($3 AS integer)
    ) AS TEXT
  ),
  'null'
) AS json_1,
  coalesce(
    CAST("public"."add_up"("a" => CAST($1 AS integer), "c" => CAST($4 AS integer)) AS TEXT), 'null'
  ) AS json_2,
  coalesce(CAST("public"."add_up"("a" => CAST($1 AS integer)) AS TEXT), 'null') AS json_3,
  coalesce(
    CAST("public"."add_up"("a" => CAST($1 AS integer), "b" => CAST(NULL AS integer)) AS TEXT),
    'null'
  ) AS json_4,
  coalesce(
    CAST(
      pg_catalog.to_json(
        (
          SELECT
          CASE
          WHEN (coalesce(pg_catalog.array_ndims(anon_2.value), 1) = 1) THEN CAST(
            anon_2.value AS text[]
          )
          END AS anon_1
          FROM "public"."doubled"("numbers" => CAST($5 AS integer[])) AS anon_2(value)
        )
      ) AS TEXT
    ),
    'null'
  ) AS json_5,
  coalesce(
    CAST(pg_catalog.to_json("public"."joined"(VARIADIC "words" => CAST($6 AS text[]))) AS TEXT),
    'null'
  ) AS json_6,
  coalesce(CAST(pg_catalog.to_json("public"."document"() #>> '{}') AS TEXT), 'null') AS json_7;
-- ["1", "2", "3", "1", "{\"1\",\"2\"}", "{\"x\",\"y\"}"]
