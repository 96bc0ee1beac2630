SELECT CAST(
  (
    WITH page_1 AS (
      SELECT place_3.id AS id,
        place_3.address AS address,
        place_3.others AS others
      FROM public.place AS place_3
      ORDER BY place_3.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'id', page_1.id,
              'address',
              CASE
              WHEN (page_1.address IS DISTINCT FROM NULL) THEN json_build_object(
                'street', (page_1.address) . "street",
                'place',
                CASE
                WHEN ((page_1.address) . "spot" IS DISTINCT FROM NULL) THEN json_build_object(
                  'lat', nullif(
                    nullif(nullif(((page_1.address) . "spot") . "lat", 'NaN'), 'Infinity'),
                    '-Infinity'
                  )
                )
                END,
                  'tags',
                CASE
                WHEN (coalesce(array_ndims((page_1.address) . "tags"), 1) = 1) THEN (
                  page_1.address
                ) . "tags"
                END
              )
              END,
                'others',
              CASE
              WHEN (coalesce(array_ndims(page_1.others), 1) = 1) THEN
              CASE
              WHEN (page_1.others IS NOT NULL) THEN (
                SELECT coalesce(
                  json_agg(
                    CASE
                    WHEN (items_2.item IS DISTINCT FROM NULL) THEN json_build_object(
                      'street', (items_2.item) . "street",
                      'spot',
                      CASE
                      WHEN ((items_2.item) . "spot" IS DISTINCT FROM NULL) THEN json_build_object(
                        'lon', nullif(
                          nullif(nullif(((items_2.item) . "spot") . "lon", 'NaN'), 'Infinity'),
                          '-Infinity'
                        )
                      )
                      END
                    )
                    END
                    ORDER BY items_2.place
                  ),
                  '[]'
                ) AS coalesce_1
                FROM (
                  SELECT unnest(page_1.others) AS item,
                    generate_subscripts(page_1.others, 1) AS place
                ) AS items_2
              )
              END
              END
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
