SELECT (
  WITH page_1 AS (
    SELECT post_2.id AS id
    FROM public.post AS post_2
    WHERE (
      EXISTS (
        SELECT
        FROM public.account AS account_3
        WHERE (account_3.id = post_2.account_id)
        AND (account_3.name = CAST($1 AS text))
        AND (account_3.email = CAST($2 AS text))
        AND (
          EXISTS (
            SELECT
            FROM public.profile AS profile_4
            WHERE (profile_4.account_id = account_3.id)
            AND (profile_4.bio = CAST($3 AS text))
            AND (profile_4.account_id > CAST($4 AS integer))
          )
        )
      )
    )
    AND (post_2.title <> CAST($5 AS text))
    AND (EXISTS (SELECT FROM public.account AS account_5 WHERE account_5.id = post_2.account_id))
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
) AS anon_1,
  (
    WITH page_6 AS (
      SELECT comment_7.id AS id
      FROM public.comment AS comment_7
      WHERE (
        EXISTS (
          SELECT
          FROM public.post AS post_8
          WHERE (post_8.id = comment_7.post_id)
          AND (post_8.id > CAST($4 AS integer))
        )
      )
      AND (
        NOT (
          EXISTS (
            SELECT
            FROM public.post AS post_9
            WHERE (post_9.id = comment_7.post_id)
            AND (post_9.title = CAST($6 AS text))
          )
        )
      )
      AND (
        (
          EXISTS (
            SELECT
            FROM public.post AS post_10
            WHERE (post_10.id = comment_7.post_id)
            AND (post_10.title = CAST($7 AS text))
          )
        )
        OR (
          EXISTS (
            SELECT
            FROM public.post AS post_11
            WHERE (post_11.id = comment_7.post_id)
            AND (post_11.title = CAST($5 AS text))
          )
        )
      )
      ORDER BY comment_7.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_6.id AS TEXT), 'null') || '}}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_6
  ) AS anon_2;
-- ["Ann", "a@x", "hello", "0", "two", "three", "one"]
