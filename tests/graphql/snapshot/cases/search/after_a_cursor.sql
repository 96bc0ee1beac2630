SELECT (
  WITH page_1 AS (
    SELECT post_2.id AS id,
      pg_catalog.ts_rank(
        pg_catalog.to_tsvector(
          CAST('english' AS regconfig),
          coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
        ),
        pg_catalog.plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
      ) AS ordered_by
    FROM public.post AS post_2
    WHERE (
      pg_catalog.to_tsvector(
        CAST('english' AS regconfig),
        coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
      ) @@ pg_catalog.plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
    )
    AND (
      pg_catalog.ts_rank(
        pg_catalog.to_tsvector(
          CAST('english' AS regconfig),
          coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
        ),
        pg_catalog.plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
      ) <= CAST($2 AS real)
    )
    AND (
      (
        pg_catalog.ts_rank(
          pg_catalog.to_tsvector(
            CAST('english' AS regconfig),
            coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(
              CAST(post_2.body AS TEXT), ''
            )
          ),
          pg_catalog.plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
        ) < CAST($2 AS real)
      )
      OR (post_2.id > CAST($3 AS integer))
    )
    ORDER BY pg_catalog.ts_rank(
      pg_catalog.to_tsvector(
        CAST('english' AS regconfig),
        coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
      ),
      pg_catalog.plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
    ) DESC,
      post_2.id ASC
    LIMIT 1
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
          ) || ', "node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["cat", "0.06079271", "2"]
