SELECT (
  WITH page_1 AS (
    SELECT latest_2.id AS id,
      latest_2_r2.value AS ordered_by
    FROM public.latest AS latest_2
    LEFT OUTER JOIN LATERAL (
      SELECT latest_2_r1.id AS value
      FROM public.comment AS latest_2_r1
      WHERE latest_2_r1.body = latest_2.title
      ORDER BY value
      LIMIT 1
    ) AS latest_2_r2 ON true
    ORDER BY latest_2_r2.value DESC NULLS LAST,
      latest_2.id ASC NULLS LAST
    LIMIT 30
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
      ) FILTER (WHERE page_1.id IS NOT NULL) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
