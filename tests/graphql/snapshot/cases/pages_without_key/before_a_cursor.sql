SELECT (
  WITH page_1 AS (
    SELECT picked_5.kind AS kind,
      picked_5.note AS note,
      picked_5.equal_before AS equal_before,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      SELECT visit_3.kind AS kind,
        visit_3.note AS note,
        pg_catalog.row_number() OVER (
          PARTITION BY visit_3.note,
          visit_3.kind
          ORDER BY CAST(ROW(visit_3.kind, visit_3.note) AS TEXT)
        ) - 1 AS equal_before
      FROM public.visit AS visit_3
      WHERE (visit_3.note, visit_3.kind) < (CAST($1 AS text), CAST($2 AS integer))
      OR (visit_3.note = CAST($1 AS text))
      AND (visit_3.kind = CAST($2 AS integer))
      ORDER BY visit_3.note DESC NULLS FIRST,
        visit_3.kind DESC,
        pg_catalog.row_number() OVER (
          PARTITION BY visit_3.note,
          visit_3.kind
          ORDER BY CAST(ROW(visit_3.kind, visit_3.note) AS TEXT)
        ) - 1 DESC
      LIMIT 3
      OFFSET greatest(
        (
          SELECT pg_catalog.count(*) AS count_1
          FROM public.visit AS visit_4
          WHERE (visit_4.note = CAST($1 AS text))
          AND (visit_4.kind = CAST($2 AS integer))
        ) - CAST($3 AS bigint),
        0
      )
    ) AS picked_5
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"kind" : ' || coalesce(CAST(page_1.kind AS TEXT), 'null') || ', "note" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.note) AS TEXT), 'null'
          ) || '}}'
        ), ', '
        ORDER BY page_1.position DESC
      ) FILTER (WHERE page_1.position <= 2) || ']',
      '[]'
    ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          coalesce(
            pg_catalog.bool_and(
              pg_catalog.jsonb_build_array(page_1.note, page_1.kind, page_1.equal_before) IS DISTINCT
              FROM (
                SELECT pg_catalog.jsonb_build_array(
                  visit_2.note,
                  visit_2.kind,
                  pg_catalog.row_number() OVER (
                    PARTITION BY visit_2.note,
                    visit_2.kind
                    ORDER BY CAST(ROW(visit_2.kind, visit_2.note) AS TEXT)
                  ) - 1
                )
                FROM public.visit AS visit_2
                ORDER BY visit_2.note DESC NULLS FIRST,
                  visit_2.kind DESC,
                  pg_catalog.row_number() OVER (
                    PARTITION BY visit_2.note,
                    visit_2.kind
                    ORDER BY CAST(ROW(visit_2.kind, visit_2.note) AS TEXT)
                  ) - 1 DESC
                LIMIT 1
              )
            ) FILTER (WHERE page_1.position = 1),
            false
          )
        ) AS TEXT
      ),
      'null'
    ) || ', "hasPreviousPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 2) AS TEXT), 'null'
    ) || ', "startCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
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
          ) FILTER (WHERE page_1.position = least(page_1.count, 2))
        ) AS TEXT
      ),
      'null'
    ) || '}}'
  )
  FROM page_1
) AS anon_1;
-- ["n1", "1", "0"]
