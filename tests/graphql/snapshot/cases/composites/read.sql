SELECT (
  WITH page_1 AS (
    SELECT place_3.id AS id,
      place_3.address AS address,
      place_3.others AS others
    FROM public.place AS place_3
    ORDER BY place_3.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "address" : ' || coalesce(
            CASE
            WHEN (page_1.address IS DISTINCT FROM NULL) THEN (
              '{"street" : ' || coalesce(
                CAST(pg_catalog.to_json((page_1.address) . "street") AS TEXT), 'null'
              ) || ', "place" : ' || coalesce(
                CASE
                WHEN ((page_1.address) . "spot" IS DISTINCT FROM NULL) THEN (
                  '{"lat" : ' || coalesce(
                    CAST(
                      pg_catalog.to_json(
                        nullif(
                          nullif(nullif(((page_1.address) . "spot") . "lat", 'NaN'), 'Infinity'),
                          '-Infinity'
                        )
                      ) AS TEXT
                    ),
                    'null'
                  ) || '}'
                )
                END,
                  'null'
              ) || ', "tags" : ' || coalesce(
                CAST(
                  pg_catalog.to_json(
                    CASE
                    WHEN (coalesce(pg_catalog.array_ndims((page_1.address) . "tags"), 1) = 1) THEN (
                      page_1.address
                    ) . "tags"
                    END
                  ) AS TEXT
                ),
                'null'
              ) || '}'
            )
            END,
              'null'
          ) || ', "others" : ' || coalesce(
            CASE
            WHEN (coalesce(pg_catalog.array_ndims(page_1.others), 1) = 1) THEN
            CASE
            WHEN (page_1.others IS NOT NULL) THEN (
              SELECT coalesce(
                '[' || pg_catalog.string_agg(
                  coalesce(
                    CASE
                    WHEN (items_2.item IS DISTINCT FROM NULL) THEN (
                      '{"street" : ' || coalesce(
                        CAST(pg_catalog.to_json((items_2.item) . "street") AS TEXT), 'null'
                      ) || ', "spot" : ' || coalesce(
                        CASE
                        WHEN ((items_2.item) . "spot" IS DISTINCT FROM NULL) THEN (
                          '{"lon" : ' || coalesce(
                            CAST(
                              pg_catalog.to_json(
                                nullif(
                                  nullif(
                                    nullif(((items_2.item) . "spot") . "lon", 'NaN'), 'Infinity'
                                  ),
                                  '-Infinity'
                                )
                              ) AS TEXT
                            ),
                            'null'
                          ) || '}'
                        )
                        END,
                          'null'
                      ) || '}'
                    )
                    END,
                      'null'
                  ),
                  ', '
                  ORDER BY items_2.place
                ) || ']',
                '[]'
              ) AS json_1
              FROM (
                SELECT pg_catalog.unnest(page_1.others) AS item,
                  pg_catalog.generate_subscripts(page_1.others, 1) AS place
              ) AS items_2
            )
            END
            END,
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
