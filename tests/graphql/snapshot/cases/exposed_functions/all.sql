SELECT (
  SELECT coalesce(
    '[' || pg_catalog.string_agg(
      (
        '{"mood" : ' || coalesce(CAST(pg_catalog.to_json(called_1.mood) AS TEXT), 'null') || ', "number" : ' || coalesce(
          ('"' || CAST(called_1.number AS TEXT) || '"'), 'null'
        ) || '}'
      ), ', '
      ORDER BY called_1.place
    ) || ']',
    '[]'
  ) AS json_1
  FROM "public"."statistics"()
  WITH ORDINALITY AS called_1(mood, number, place)
) AS anon_1,
  coalesce(
    (
      SELECT coalesce(
        '[' || pg_catalog.string_agg(
          coalesce(CAST(called_2.value AS TEXT), 'null'), ', ' ORDER BY called_2.place
        ) || ']',
        '[]'
      ) AS json_3
      FROM "public"."pick"("b" => CAST($1 AS text), "c" => CAST(3 AS integer))
      WITH ORDINALITY AS called_2(value, place)
    ),
    'null'
  ) AS json_2,
  (
    WITH page_3 AS (
      SELECT CAST(ROW("account_5".*) AS "public"."account") AS row
      FROM public.account AS account_5
      ORDER BY account_5.id ASC
      LIMIT 1
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"greeting" : ' || coalesce(
              CAST(
                pg_catalog.to_json(
                  (
                    SELECT called_4.value
                    FROM "public"."greeting"(page_3.row, "word" => CAST($2 AS text)) AS called_4(
                      value
                    )
                  )
                ) AS TEXT
              ),
              'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2;
-- ["y", "Hi"]
