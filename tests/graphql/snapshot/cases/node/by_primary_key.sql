SELECT (
  SELECT ('{"note" : ' || coalesce(CAST(pg_catalog.to_json(pair_1.note) AS TEXT), 'null') || '}') AS json_1
  FROM public.pair AS pair_1
  WHERE (pair_1.a = CAST($1 AS text))
  AND (pair_1.b = CAST($2 AS bigint))
) AS anon_1,
  (
    SELECT ('{"id" : ' || coalesce(CAST("Odd_Name_2".id AS TEXT), 'null') || '}') AS json_2
    FROM public."Odd Name" AS "Odd_Name_2"
    WHERE "Odd_Name_2".id = CAST($3 AS integer)
  ) AS anon_2;
-- ["x\"y", "9007199254740993", "8"]
