SELECT (
  WITH page_1 AS (
    SELECT town_5.id AS id,
      town_5.country AS country,
      town_5.region_code AS region_code
    FROM public.town AS town_5
    ORDER BY town_5.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "region" : ' || coalesce(
            (
              SELECT (
                '{"code" : ' || coalesce(CAST(pg_catalog.to_json(region_2.code) AS TEXT), 'null') || ', "townCollection" : ' || coalesce(
                  (
                    WITH page_3 AS (
                      SELECT town_4.id AS id
                      FROM public.town AS town_4
                      WHERE (town_4.country = region_2.country)
                      AND (town_4.region_code = region_2.code)
                      ORDER BY town_4.id ASC
                      LIMIT 30
                    )
                    SELECT (
                      '{"edges" : ' || coalesce(
                        '[' || pg_catalog.string_agg(
                          (
                            '{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || '}}'
                          ), ', '
                        ) || ']',
                        '[]'
                      ) || '}'
                    )
                    FROM page_3
                  ),
                  'null'
                ) || '}'
              )
              FROM public.region AS region_2
              WHERE (region_2.country = page_1.country)
              AND (region_2.code = page_1.region_code)
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
-- []
