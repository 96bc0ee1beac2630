SELECT (
  WITH page_1 AS (
    SELECT writer_4.address AS address,
      writer_4.id AS id
    FROM public.writer AS writer_4
    WHERE EXISTS (
      SELECT
      FROM public.headline AS headline_5
      WHERE (headline_5.writer_id = writer_4.id)
      AND (headline_5.short = CAST($1 AS text))
    )
    ORDER BY writer_4.id ASC NULLS LAST
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"address" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.address) AS TEXT), 'null'
          ) || ', "headlineCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT headline_3.number AS number
                FROM public.headline AS headline_3
                LEFT OUTER JOIN public.writer AS headline_3_r1 ON headline_3_r1.id = headline_3.writer_id
                WHERE headline_3.writer_id = page_1.id
                ORDER BY headline_3_r1.address ASC NULLS LAST,
                  headline_3.number ASC NULLS LAST
                LIMIT 30
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"node" : {"number" : ' || coalesce(CAST(page_2.number AS TEXT), 'null') || '}}'
                    ), ', '
                  ) FILTER (WHERE page_2.number IS NOT NULL) || ']',
                  '[]'
                ) || '}'
              )
              FROM page_2
            ),
            'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_1.id IS NOT NULL) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    SELECT (
      '{"short" : ' || coalesce(CAST(pg_catalog.to_json(headline_6.short) AS TEXT), 'null') || ', "writer" : ' || coalesce(
        (
          SELECT (
            '{"address" : ' || coalesce(CAST(pg_catalog.to_json(writer_7.address) AS TEXT), 'null') || '}'
          )
          FROM public.writer AS writer_7
          WHERE writer_7.id = headline_6.writer_id
        ),
        'null'
      ) || ', "account" : ' || coalesce(
        (
          SELECT (
            '{"email" : ' || coalesce(CAST(pg_catalog.to_json(account_8.email) AS TEXT), 'null') || '}'
          )
          FROM public.account AS account_8
          WHERE account_8.id = headline_6.writer_id
        ),
        'null'
      ) || '}'
    ) AS json_1
    FROM public.headline AS headline_6
    WHERE headline_6.number = CAST($2 AS integer)
  ) AS anon_2;
-- ["on", "3"]
