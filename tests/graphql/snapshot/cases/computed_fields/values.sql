SELECT CAST(
  (
    WITH page_1 AS (
      SELECT account_3.id AS id,
        CAST(ROW("account_3".*) AS "public"."account") AS row
      FROM public.account AS account_3
      ORDER BY account_3.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'id', page_1.id,
              'shout', "public"."_shout"(page_1.row),
              'amounts', (
                SELECT
                CASE
                WHEN (coalesce(array_ndims(anon_3.value), 1) = 1) THEN CAST(anon_3.value AS text[])
                END AS anon_2
                FROM "public"."amounts"(page_1.row) AS anon_3(value)
              )
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
