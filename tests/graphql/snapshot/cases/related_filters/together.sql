SELECT (
  WITH page_4 AS (
    SELECT account_5.id AS id
    FROM public.account AS account_5
    WHERE (
      EXISTS (
        SELECT
        FROM public.post AS post_6
        WHERE (post_6.account_id = account_5.id)
        AND (post_6.score >= CAST($1 AS numeric))
      )
    )
    AND (
      EXISTS (
        SELECT
        FROM public.post AS post_7
        WHERE (post_7.account_id = account_5.id)
        AND (post_7.title <> CAST($2 AS text))
        HAVING (pg_catalog.count(*) >= CAST($3 AS bigint))
        AND (pg_catalog.count(*) < CAST($4 AS bigint))
        AND ("pg_catalog"."sum"(post_7.score) > CAST($5 AS numeric))
      )
    )
    ORDER BY account_5.id ASC
    LIMIT 30
  )
  SELECT (
    '{"totalCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          (
            SELECT pg_catalog.count(*) AS count_1
            FROM public.account AS account_1
            WHERE (
              EXISTS (
                SELECT
                FROM public.post AS post_2
                WHERE (post_2.account_id = account_1.id)
                AND (post_2.score >= CAST($1 AS numeric))
              )
            )
            AND (
              EXISTS (
                SELECT
                FROM public.post AS post_3
                WHERE (post_3.account_id = account_1.id)
                AND (post_3.title <> CAST($2 AS text))
                HAVING (pg_catalog.count(*) >= CAST($3 AS bigint))
                AND (pg_catalog.count(*) < CAST($4 AS bigint))
                AND ("pg_catalog"."sum"(post_3.score) > CAST($5 AS numeric))
              )
            )
          )
        ) AS TEXT
      ),
      'null'
    ) || ', "edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"node" : {"id" : ' || coalesce(CAST(page_4.id AS TEXT), 'null') || '}}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_4
) AS anon_1;
-- ["6", "two", "1", "3", "1.5"]
