SELECT (
  WITH page_1 AS (
    SELECT account_4.name AS name,
      account_4.id AS id
    FROM public.account AS account_4
    WHERE EXISTS (
      SELECT
      FROM public.post AS post_5
      WHERE (post_5.account_id = account_4.id)
      AND (
        pg_catalog.to_tsvector(
          CAST('english' AS regconfig),
          coalesce(CAST(post_5.title AS TEXT), '') || ' ' || coalesce(CAST(post_5.body AS TEXT), '')
        ) @@ pg_catalog.phraseto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
      )
    )
    ORDER BY account_4.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "postCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT post_3.id AS id
                FROM public.post AS post_3
                WHERE (post_3.account_id = page_1.id)
                AND (
                  pg_catalog.to_tsvector(
                    CAST('english' AS regconfig),
                    coalesce(CAST(post_3.title AS TEXT), '') || ' ' || coalesce(
                      CAST(post_3.body AS TEXT), ''
                    )
                  ) @@ pg_catalog.plainto_tsquery(CAST('english' AS regconfig), CAST($2 AS text))
                )
                ORDER BY pg_catalog.ts_rank(
                  pg_catalog.to_tsvector(
                    CAST('english' AS regconfig),
                    coalesce(CAST(post_3.title AS TEXT), '') || ' ' || coalesce(
                      CAST(post_3.body AS TEXT), ''
                    )
                  ),
                  pg_catalog.plainto_tsquery(CAST('english' AS regconfig), CAST($2 AS text))
                ) ASC,
                  post_3.id ASC
                LIMIT 30
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    ('{"node" : {"id" : ' || coalesce(CAST(page_2.id AS TEXT), 'null') || '}}'), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_2
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
-- ["dogs and cats", "run"]
