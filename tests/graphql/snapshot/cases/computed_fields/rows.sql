SELECT (
  SELECT (
    '{"newest" : ' || coalesce(
      (
        SELECT (
          '{"title" : ' || coalesce(CAST(pg_catalog.to_json(newest_2.title) AS TEXT), 'null') || ', "account" : ' || coalesce(
            (
              SELECT (
                '{"shout" : ' || coalesce(
                  CAST(
                    pg_catalog.to_json(
                      "public"."_shout"(CAST(ROW("account_3".*) AS "public"."account"))
                    ) AS TEXT
                  ),
                  'null'
                ) || '}'
              )
              FROM public.account AS account_3
              WHERE account_3.id = newest_2.account_id
            ),
            'null'
          ) || '}'
        ) AS json_2
        FROM "public"."newest"(CAST(ROW("account_1".*) AS "public"."account")) AS newest_2
        WHERE (ROW("newest_2".*) IS NULL) IS false
        LIMIT 1
      ),
      'null'
    ) || ', "oldest" : ' || coalesce(
      (
        SELECT (
          '{"title" : ' || coalesce(CAST(pg_catalog.to_json(oldest_4.title) AS TEXT), 'null') || '}'
        ) AS json_3
        FROM "public"."oldest"(CAST(ROW("account_1".*) AS "public"."account")) AS oldest_4
        WHERE (ROW("oldest_4".*) IS NULL) IS false
        LIMIT 1
      ),
      'null'
    ) || '}'
  ) AS json_1
  FROM public.account AS account_1
  WHERE account_1.id = CAST($1 AS integer)
) AS anon_1,
  (
    SELECT (
      '{"newest" : ' || coalesce(
        (
          SELECT (
            '{"title" : ' || coalesce(CAST(pg_catalog.to_json(newest_6.title) AS TEXT), 'null') || '}'
          ) AS json_5
          FROM "public"."newest"(CAST(ROW("account_5".*) AS "public"."account")) AS newest_6
          WHERE (ROW("newest_6".*) IS NULL) IS false
          LIMIT 1
        ),
        'null'
      ) || ', "oldest" : ' || coalesce(
        (
          SELECT (
            '{"title" : ' || coalesce(CAST(pg_catalog.to_json(oldest_7.title) AS TEXT), 'null') || '}'
          ) AS json_6
          FROM "public"."oldest"(CAST(ROW("account_5".*) AS "public"."account")) AS oldest_7
          WHERE (ROW("oldest_7".*) IS NULL) IS false
          LIMIT 1
        ),
        'null'
      ) || '}'
    ) AS json_4
    FROM public.account AS account_5
    WHERE account_5.id = CAST($2 AS integer)
  ) AS anon_2;
-- ["1", "2"]
