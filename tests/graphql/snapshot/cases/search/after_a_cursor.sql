SELECT (
  WITH page_1 AS (
    SELECT post_2.id AS id,
      ts_rank(
        to_tsvector(
          CAST('english' AS regconfig),
          coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
        ),
        plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
      ) AS ordered_by
    FROM public.post AS post_2
    WHERE (
      to_tsvector(
        CAST('english' AS regconfig),
        coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
      ) @@ plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
    )
    AND (
      (
        ts_rank(
          to_tsvector(
            CAST('english' AS regconfig),
            coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(
              CAST(post_2.body AS TEXT), ''
            )
          ),
          plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
        ) < CAST($2 AS real)
      )
      OR (
        ts_rank(
          to_tsvector(
            CAST('english' AS regconfig),
            coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(
              CAST(post_2.body AS TEXT), ''
            )
          ),
          plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
        ) = CAST($2 AS real)
      )
      AND (post_2.id > CAST($3 AS integer))
    )
    ORDER BY ts_rank(
      to_tsvector(
        CAST('english' AS regconfig),
        coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
      ),
      plainto_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
    ) DESC NULLS LAST,
      post_2.id ASC NULLS LAST
    LIMIT 1
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              to_json(
                translate(
                  encode(
                    convert_to(
                      CAST(jsonb_build_array(page_1.ordered_by, page_1.id) AS TEXT), 'UTF8'
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
