SELECT CAST(
  (
    WITH page_1 AS (
      SELECT account_2.id AS id,
        CAST(ROW("account_2".*) AS "public"."account") AS row
      FROM public.account AS account_2
      ORDER BY account_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'id', page_1.id,
              'shout', "public"."_shout"(page_1.row),
              'amounts', CAST("public"."amounts"(page_1.row) AS text[])
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
