SELECT (
  WITH page_1 AS (
    SELECT post_2.id AS id
    FROM public.post AS post_2
    WHERE (
      EXISTS (
        SELECT
        FROM public.comment AS comment_3
        WHERE (comment_3.post_id = post_2.id)
        AND (comment_3.id > CAST($1 AS integer))
      )
    )
    AND (
      NOT (
        EXISTS (
          SELECT
          FROM public.comment AS comment_4
          WHERE (comment_4.post_id = post_2.id)
          AND (comment_4.id > CAST($2 AS integer))
        )
      )
    )
    AND (
      EXISTS (
        SELECT
        FROM public.comment AS comment_5
        WHERE (comment_5.post_id = post_2.id)
        AND (
          EXISTS (
            SELECT
            FROM public.account AS account_6
            WHERE (account_6.id = comment_5.account_id)
            AND (account_6.id > CAST($1 AS integer))
          )
        )
      )
    )
    AND (
      (EXISTS (SELECT FROM public.account AS account_7 WHERE account_7.id = post_2.account_id))
      OR (
        EXISTS (
          SELECT
          FROM public.comment AS comment_8
          WHERE (comment_8.post_id = post_2.id)
          AND (comment_8.id > CAST($3 AS integer))
        )
      )
    )
    AND (
      NOT (
        EXISTS (
          SELECT
          FROM public.comment AS comment_9
          WHERE (comment_9.post_id = post_2.id)
          AND (comment_9.id > CAST($4 AS integer))
        )
      )
    )
    AND (
      (
        CASE
        WHEN EXISTS (
          SELECT
          FROM public.comment AS comment_10
          WHERE (comment_10.post_id = post_2.id)
          AND (comment_10.body = CAST($5 AS text))
          AND (
            EXISTS (
              SELECT
              FROM public.account AS account_11
              WHERE (account_11.id = comment_10.account_id)
              AND (account_11.id > CAST($1 AS integer))
            )
          )
        ) THEN 1
        END IS NOT NULL
      )
    )
    AND (
      (
        CASE
        WHEN NOT (
          EXISTS (
            SELECT
            FROM public.comment AS comment_12
            WHERE (comment_12.post_id = post_2.id)
            AND (comment_12.id > CAST($6 AS integer))
          )
        ) THEN 1
        END IS NOT NULL
      )
    )
    ORDER BY post_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["0", "5", "1", "6", "hi", "7"]
