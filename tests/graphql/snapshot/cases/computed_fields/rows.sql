SELECT CAST(
  (
    SELECT json_build_object(
      'newest', (
        SELECT json_build_object(
          'title', newest_2.title,
          'account', (
            SELECT json_build_object(
              'shout', "public"."_shout"(CAST(ROW("account_3".*) AS "public"."account"))
            ) AS json_build_object_3
            FROM public.account AS account_3
            WHERE account_3.id = newest_2.account_id
          )
        ) AS json_build_object_2
        FROM "public"."newest"(CAST(ROW("account_1".*) AS "public"."account")) AS newest_2
        WHERE (ROW("newest_2".*) IS NULL) IS false
        LIMIT 1
      ),
      'oldest', (
        SELECT json_build_object('title', oldest_4.title) AS json_build_object_4
        FROM "public"."oldest"(CAST(ROW("account_1".*) AS "public"."account")) AS oldest_4
        WHERE (ROW("oldest_4".*) IS NULL) IS false
        LIMIT 1
      )
    ) AS json_build_object_1
    FROM public.account AS account_1
    WHERE account_1.id = CAST($1 AS integer)
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object(
        'newest', (
          SELECT json_build_object('title', newest_6.title) AS json_build_object_6
          FROM "public"."newest"(CAST(ROW("account_5".*) AS "public"."account")) AS newest_6
          WHERE (ROW("newest_6".*) IS NULL) IS false
          LIMIT 1
        ),
        'oldest', (
          SELECT json_build_object('title', oldest_7.title) AS json_build_object_7
          FROM "public"."oldest"(CAST(ROW("account_5".*) AS "public"."account")) AS oldest_7
          WHERE (ROW("oldest_7".*) IS NULL) IS false
          LIMIT 1
        )
      ) AS json_build_object_5
      FROM public.account AS account_5
      WHERE account_5.id = CAST($2 AS integer)
    ) AS TEXT
  ) AS anon_2;
-- ["1", "2"]
