SELECT (
  WITH page_1 AS (
    SELECT account_2.id AS id,
      CAST(ROW("account_2".*) AS "public"."account") AS row
    FROM public.account AS account_2
    WHERE "public"."full_name"(CAST(ROW("account_2".*) AS "public"."account")) LIKE CAST($1 AS text)
    ORDER BY account_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "fullName" : ' || coalesce(
            CAST(pg_catalog.to_json("public"."full_name"(page_1.row)) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT post_4.id AS id
      FROM public.post AS post_4
      WHERE EXISTS (
        SELECT
        FROM public.account AS account_5
        WHERE (account_5.id = post_4.account_id)
        AND (
          "public"."full_name"(CAST(ROW("account_5".*) AS "public"."account")) = CAST($2 AS text)
        )
      )
      ORDER BY post_4.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2;
-- ["B%", "ANN"]
