SELECT (
  WITH page_1 AS (
    SELECT every_2.i2 AS i2,
      every_2.i8 AS i8,
      every_2.f4 AS f4,
      every_2.f8 AS f8,
      every_2.num AS num,
      every_2.flag AS flag,
      every_2.t AS t,
      every_2.c AS c,
      every_2.v AS v,
      every_2.u AS u,
      every_2.d AS d,
      every_2.tm AS tm,
      every_2.ts AS ts,
      every_2.tstz AS tstz,
      every_2.j AS j,
      every_2.jb AS jb,
      every_2.e AS e,
      every_2.dom AS dom,
      every_2.iv AS iv,
      every_2.b AS b,
      every_2.net AS net,
      every_2.nums AS nums,
      every_2.bigs AS bigs,
      every_2.docs AS docs,
      every_2.words AS words,
      every_2.grid AS grid
    FROM public.every AS every_2
    ORDER BY every_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"i2" : ' || coalesce(CAST(page_1.i2 AS TEXT), 'null') || ', "i8" : ' || coalesce(
            ('"' || CAST(page_1.i8 AS TEXT) || '"'), 'null'
          ) || ', "f4" : ' || coalesce(
            CAST(
              pg_catalog.to_json(nullif(nullif(nullif(page_1.f4, 'NaN'), 'Infinity'), '-Infinity')) AS TEXT
            ),
            'null'
          ) || ', "f8" : ' || coalesce(
            CAST(
              pg_catalog.to_json(nullif(nullif(nullif(page_1.f8, 'NaN'), 'Infinity'), '-Infinity')) AS TEXT
            ),
            'null'
          ) || ', "num" : ' || coalesce(('"' || CAST(page_1.num AS TEXT) || '"'), 'null') || ', "flag" : ' || coalesce(
            CAST(page_1.flag AS TEXT), 'null'
          ) || ', "t" : ' || coalesce(CAST(pg_catalog.to_json(page_1.t) AS TEXT), 'null') || ', "c" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.c) AS TEXT), 'null'
          ) || ', "v" : ' || coalesce(CAST(pg_catalog.to_json(page_1.v) AS TEXT), 'null') || ', "u" : ' || coalesce(
            ('"' || CAST(page_1.u AS TEXT) || '"'), 'null'
          ) || ', "d" : ' || coalesce(CAST(pg_catalog.to_json(page_1.d) AS TEXT), 'null') || ', "tm" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.tm) AS TEXT), 'null'
          ) || ', "ts" : ' || coalesce(CAST(pg_catalog.to_json(page_1.ts) AS TEXT), 'null') || ', "tstz" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.tstz) AS TEXT), 'null'
          ) || ', "j" : ' || coalesce(CAST(pg_catalog.to_json(page_1.j #>> '{}') AS TEXT), 'null') || ', "jb" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.jb #>> '{}') AS TEXT), 'null'
          ) || ', "e" : ' || coalesce(CAST(pg_catalog.to_json(page_1.e) AS TEXT), 'null') || ', "dom" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.dom) AS TEXT), 'null'
          ) || ', "iv" : ' || coalesce(CAST(pg_catalog.to_json(page_1.iv) AS TEXT), 'null') || ', "b" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.b) AS TEXT), 'null'
          ) || ', "net" : ' || coalesce(CAST(pg_catalog.to_json(page_1.net) AS TEXT), 'null') || ', "nums" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(page_1.nums), 1) = 1) THEN CAST(
                  page_1.nums AS text[]
                )
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "bigs" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(page_1.bigs), 1) = 1) THEN CAST(
                  page_1.bigs AS text[]
                )
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "docs" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(page_1.docs), 1) = 1) THEN CAST(
                  page_1.docs AS text[]
                )
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "words" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(page_1.words), 1) = 1) THEN page_1.words
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "grid" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(page_1.grid), 1) = 1) THEN page_1.grid
                END
              ) AS TEXT
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
