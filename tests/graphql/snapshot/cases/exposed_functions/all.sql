SELECT CAST(
  (
    SELECT coalesce(
      json_agg(
        json_build_object('mood', called_1.mood, 'number', CAST(called_1.number AS TEXT))
        ORDER BY called_1.place
      ),
      '[]'
    ) AS coalesce_1
    FROM "public"."statistics"()
    WITH ORDINALITY AS called_1(mood, number, place)
  ) AS TEXT
) AS anon_1,
  CAST(
    to_json(
      (
        SELECT coalesce(json_agg(called_2.value ORDER BY called_2.place), '[]') AS coalesce_2
        FROM "public"."pick"("b" => CAST($1 AS text), "c" => CAST(3 AS integer))
        WITH ORDINALITY AS called_2(value, place)
      )
    ) AS TEXT
  ) AS anon_2,
  CAST(
    (
      WITH page_3 AS (
        SELECT CAST(ROW("account_5".*) AS "public"."account") AS row
        FROM public.account AS account_5
        ORDER BY account_5.id ASC NULLS LAST
        LIMIT 1
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object(
              'node', json_build_object(
                'greeting', (
                  SELECT called_4.value
                  FROM "public"."greeting"(page_3.row, "word" => CAST($2 AS text)) AS called_4(
                    value
                  )
                )
              )
            )
          ),
          '[]'
        )
      ) AS json_build_object_1
      FROM page_3
    ) AS TEXT
  ) AS anon_3;
-- ["y", "Hi"]
