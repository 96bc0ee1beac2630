SELECT (
  WITH page_1 AS (
    SELECT post_3.id AS id,
      post_3.title AS title,
      "public"."apart"(CAST(ROW("post_3".*) AS "public"."post"), "length" => CAST($1 AS integer)) AS ordered_by,
      CAST(ROW("post_3".*) AS "public"."post") AS row
    FROM public.post AS post_3
    WHERE (
      "public"."apart"(CAST(ROW("post_3".*) AS "public"."post"), "length" => CAST($1 AS integer)) > CAST(
        $2 AS integer
      )
    )
    OR "public"."apart"(CAST(ROW("post_3".*) AS "public"."post"), "length" => CAST($1 AS integer)) IS NULL
    OR (
      "public"."apart"(CAST(ROW("post_3".*) AS "public"."post"), "length" => CAST($1 AS integer)) = CAST(
        $2 AS integer
      )
    )
    AND (post_3.id > CAST($2 AS integer))
    ORDER BY "public"."apart"(
      CAST(ROW("post_3".*) AS "public"."post"), "length" => CAST($1 AS integer)
    ) ASC NULLS LAST,
      post_3.id ASC
    LIMIT 2
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array(page_1.ordered_by, page_1.id) AS TEXT),
                      'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"apart" : ' || coalesce(
            (
              SELECT CAST(called_2.value AS TEXT) AS value
              FROM "public"."apart"(page_1.row, "length" => CAST($1 AS integer)) AS called_2(value)
            ),
            'null'
          ) || ', "title" : ' || coalesce(CAST(pg_catalog.to_json(page_1.title) AS TEXT), 'null') || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_4 AS (
      SELECT comment_5.id AS id
      FROM public.comment AS comment_5
      LEFT OUTER JOIN public.post AS comment_5_r1 ON comment_5_r1.id = comment_5.post_id
      ORDER BY
      CASE
      WHEN ((ROW("comment_5_r1".*) IS NULL) IS false) THEN "public"."apart"(
        CAST(ROW("comment_5_r1".*) AS "public"."post"), "length" => CAST($3 AS integer)
      )
      END DESC NULLS LAST,
        comment_5.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_4.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_4
  ) AS anon_2;
-- ["4", "1", "5"]
