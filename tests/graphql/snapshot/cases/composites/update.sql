WITH affected_1 AS (
  UPDATE public.place AS place_3
  SET address=CAST($1 AS public.address),
    others=CAST($2 AS public.address[])
  WHERE place_3.id = CAST($3 AS integer)
  RETURNING place_3.address AS address,
    place_3.others AS others
)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST('1' AS bigint)) THEN to_json(
      CAST('portico: update impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
    )
    ELSE json_build_object(
      'records', coalesce(
        json_agg(
          json_build_object(
            'address',
            CASE
            WHEN (affected_1.address IS DISTINCT FROM NULL) THEN json_build_object(
              'street', (affected_1.address) . "street",
              'zip', (affected_1.address) . "zip",
              'spot',
              CASE
              WHEN ((affected_1.address) . "spot" IS DISTINCT FROM NULL) THEN json_build_object(
                'lat', nullif(
                  nullif(nullif(((affected_1.address) . "spot") . "lat", 'NaN'), 'Infinity'),
                  '-Infinity'
                ),
                'lon', nullif(
                  nullif(nullif(((affected_1.address) . "spot") . "lon", 'NaN'), 'Infinity'),
                  '-Infinity'
                )
              )
              END,
                'tags',
              CASE
              WHEN (coalesce(array_ndims((affected_1.address) . "tags"), 1) = 1) THEN (
                affected_1.address
              ) . "tags"
              END
            )
            END,
              'others',
            CASE
            WHEN (coalesce(array_ndims(affected_1.others), 1) = 1) THEN
            CASE
            WHEN (affected_1.others IS NOT NULL) THEN (
              SELECT coalesce(
                json_agg(
                  CASE
                  WHEN (items_2.item IS DISTINCT FROM NULL) THEN json_build_object(
                    'street', (items_2.item) . "street",
                    'tags',
                    CASE
                    WHEN (coalesce(array_ndims((items_2.item) . "tags"), 1) = 1) THEN (
                      items_2.item
                    ) . "tags"
                    END
                  )
                  END
                  ORDER BY items_2.place
                ),
                '[]'
              ) AS coalesce_1
              FROM (
                SELECT unnest(affected_1.others) AS item,
                  generate_subscripts(affected_1.others, 1) AS place
              ) AS items_2
            )
            END
            END
          )
        ),
        '[]'
      )
    )
    END AS anon_2
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["(\"It's \\\"new\\\"\",,\"(\\\"1\\\",)\",)", "{\"(\\\"a,b\\\",,,\\\"{\\\\\\\"c\\\\\\\"}\\\")\"}", "3"]
