SELECT (
  WITH page_1 AS (
    SELECT region_2.name AS name,
      region_2.area AS area
    FROM public.region AS region_2
    WHERE "public".st_covers(CAST(region_2.area AS public.geometry), CAST($1 AS public.geometry))
    ORDER BY region_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "area" : ' || coalesce(
            CASE "public".ST_SRID(page_1.area)
            WHEN 4326 THEN "public".ST_AsGeoJSON(page_1.area, 15, 0)
            WHEN 0 THEN '{"crs":null,' || pg_catalog.substr(
              "public".ST_AsGeoJSON(page_1.area, 15, 0), 2
            )
            ELSE '{"crs":{"type":"name","properties":{"name":"EPSG:' || "public".ST_SRID(
              page_1.area
            ) || '"}},' || pg_catalog.substr("public".ST_AsGeoJSON(page_1.area, 15, 0), 2)
            END,
              'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT place_4.name AS name,
        place_4.spot AS spot
      FROM public.place AS place_4
      WHERE "public".st_dwithin(
        CAST(place_4.spot AS public.geography),
        CAST($2 AS public.geography),
        CAST($3 AS double precision)
      )
      ORDER BY place_4.id ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"name" : ' || coalesce(
              CAST(pg_catalog.to_json(page_3.name) AS TEXT), 'null'
            ) || ', "spot" : ' || coalesce("public".ST_AsGeoJSON(page_3.spot, 15, 0), 'null') || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2;
-- ["SRID=4326;POINT(16.4 48.2)", "SRID=4326;POINT(16.4 48.2)", "5000"]
