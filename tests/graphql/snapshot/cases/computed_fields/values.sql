SELECT (
  WITH page_1 AS (
    SELECT account_3.id AS id,
      CAST(ROW("account_3".*) AS "public"."account") AS row
    FROM public.account AS account_3
    ORDER BY account_3.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "shout" : ' || coalesce(
            CAST(pg_catalog.to_json("public"."_shout"(page_1.row)) AS TEXT), 'null'
          ) || ', "amounts" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                (
                  SELECT
                  CASE
                  WHEN (coalesce(pg_catalog.array_ndims(anon_3.value), 1) = 1) THEN CAST(
                    anon_3.value AS text[]
                  )
                  END AS anon_2
                  FROM "public"."amounts"(page_1.row) AS anon_3(value)
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
  FROM page_1
) AS anon_1;
-- []
