WITH affected_1 AS (
  UPDATE public.place AS place_3
  SET address=CAST($1 AS public.address),
    others=CAST($2 AS public.address[])
  WHERE place_3.id = CAST($3 AS integer)
  RETURNING place_3.address AS address,
    place_3.others AS others
)
SELECT (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) > CAST('1' AS bigint)) THEN CAST(
    CAST(
      'portico: update impacts too many records | Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".; ' || CAST(
        pg_catalog.count(*) AS TEXT
      ) AS integer
    ) AS TEXT
  )
  ELSE (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"address" : ' || coalesce(
            CASE
            WHEN (affected_1.address IS DISTINCT FROM NULL) THEN (
              '{"street" : ' || coalesce(
                CAST(pg_catalog.to_json((affected_1.address) . "street") AS TEXT), 'null'
              ) || ', "zip" : ' || coalesce(
                CAST(pg_catalog.to_json((affected_1.address) . "zip") AS TEXT), 'null'
              ) || ', "spot" : ' || coalesce(
                CASE
                WHEN ((affected_1.address) . "spot" IS DISTINCT FROM NULL) THEN (
                  '{"lat" : ' || coalesce(
                    CAST(
                      pg_catalog.to_json(
                        nullif(
                          nullif(
                            nullif(((affected_1.address) . "spot") . "lat", 'NaN'), 'Infinity'
                          ),
                          '-Infinity'
                        )
                      ) AS TEXT
                    ),
                    'null'
                  ) || ', "lon" : ' || coalesce(
                    CAST(
                      pg_catalog.to_json(
                        nullif(
                          nullif(
                            nullif(((affected_1.address) . "spot") . "lon", 'NaN'), 'Infinity'
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
              ) || ', "tags" : ' || coalesce(
                CAST(
                  pg_catalog.to_json(
                    CASE
                    WHEN (coalesce(pg_catalog.array_ndims((affected_1.address) . "tags"), 1) = 1) THEN (
                      affected_1.address
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
            WHEN (coalesce(pg_catalog.array_ndims(affected_1.others), 1) = 1) THEN
            CASE
            WHEN (affected_1.others IS NOT NULL) THEN (
              SELECT coalesce(
                '[' || pg_catalog.string_agg(
                  coalesce(
                    CASE
                    WHEN (items_2.item IS DISTINCT FROM NULL) THEN (
                      '{"street" : ' || coalesce(
                        CAST(pg_catalog.to_json((items_2.item) . "street") AS TEXT), 'null'
                      ) || ', "tags" : ' || coalesce(
                        CAST(
                          pg_catalog.to_json(
                            CASE
                            WHEN (coalesce(pg_catalog.array_ndims((items_2.item) . "tags"), 1) = 1) THEN (
                              items_2.item
                            ) . "tags"
                            END
                          ) AS TEXT
                        ),
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
                SELECT pg_catalog.unnest(affected_1.others) AS item,
                  pg_catalog.generate_subscripts(affected_1.others, 1) AS place
              ) AS items_2
            )
            END
            END,
              'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["(\"It's \\\"new\\\"\",,\"(\\\"1\\\",)\",)", "{\"(\\\"a,b\\\",,,\\\"{\\\\\\\"c\\\\\\\"}\\\")\"}", "3"]
