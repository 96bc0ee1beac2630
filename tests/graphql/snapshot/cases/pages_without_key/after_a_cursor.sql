SELECT (
  WITH page_1 AS (
    SELECT visit_2.note AS note,
      visit_2.kind AS kind,
      pg_catalog.row_number() OVER (
        PARTITION BY visit_2.note,
        visit_2.kind
        ORDER BY CAST(ROW(visit_2.kind, visit_2.note) AS TEXT)
      ) - 1 AS equal_before
    FROM public.visit AS visit_2
    WHERE (visit_2.note, visit_2.kind) > (CAST($1 AS text), CAST($2 AS integer))
    OR visit_2.note IS NULL
    OR (visit_2.note = CAST($1 AS text))
    AND (visit_2.kind = CAST($2 AS integer))
    ORDER BY visit_2.note ASC NULLS LAST,
      visit_2.kind ASC,
      pg_catalog.row_number() OVER (
        PARTITION BY visit_2.note,
        visit_2.kind
        ORDER BY CAST(ROW(visit_2.kind, visit_2.note) AS TEXT)
      ) - 1
    LIMIT 2
    OFFSET least(
      CAST($3 AS bigint) + 1,
      (
        SELECT pg_catalog.count(*) AS count_1
        FROM public.visit AS visit_3
        WHERE (visit_3.note = CAST($1 AS text))
        AND (visit_3.kind = CAST($2 AS integer))
      )
    )
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
                      CAST(
                        pg_catalog.jsonb_build_array(page_1.note, page_1.kind, page_1.equal_before) AS TEXT
                      ),
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
          ) || ', "node" : {"kind" : ' || coalesce(CAST(page_1.kind AS TEXT), 'null') || ', "note" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.note) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["n1", "1", "0"]
