SELECT CAST(
  (
    SELECT json_build_object('note', pair_1.note) AS json_build_object_1
    FROM public.pair AS pair_1
    WHERE (pair_1.a = CAST($1 AS text))
    AND (pair_1.b = CAST($2 AS bigint))
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object('id', "Odd_Name_2".id) AS json_build_object_2
      FROM public."Odd Name" AS "Odd_Name_2"
      WHERE "Odd_Name_2".id = CAST($3 AS integer)
    ) AS TEXT
  ) AS anon_2;
-- ["x\"y", "9007199254740993", "8"]
