SELECT (
  WITH page_1 AS (
    SELECT region_4.name AS name,
      region_4.id AS id
    FROM public.region AS region_4
    ORDER BY region_4.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "placeCollection" : ' || coalesce(
            (
              WITH page_2 AS (
                SELECT place_3.name AS name,
                  CAST(place_3.spot AS public.geography) OPERATOR("public".<->) CAST(
                    $1 AS public.geography
                  ) AS ordered_by
                FROM public.place AS place_3
                WHERE place_3.region_id = page_1.id
                ORDER BY CAST(place_3.spot AS public.geography) OPERATOR("public".<->) CAST(
                  $1 AS public.geography
                ) ASC NULLS LAST,
                  place_3.id ASC
                LIMIT 2
              )
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"distance" : ' || coalesce(
                        CAST(
                          pg_catalog.to_json(
                            nullif(
                              nullif(nullif(page_2.ordered_by, 'NaN'), 'Infinity'), '-Infinity'
                            )
                          ) AS TEXT
                        ),
                        'null'
                      ) || ', "node" : {"name" : ' || coalesce(
                        CAST(pg_catalog.to_json(page_2.name) AS TEXT), 'null'
                      ) || '}}'
                    ), ', '
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
-- ["SRID=4326;POINT(16.5 48.1)"]
