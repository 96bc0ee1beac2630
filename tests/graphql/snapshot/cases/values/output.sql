SELECT (
  WITH page_1 AS (
    SELECT everything_2.id AS id,
      everything_2.big AS big,
      everything_2.amount AS amount,
      everything_2.f AS f,
      everything_2.j AS j,
      everything_2.at AS at,
      everything_2.mood AS mood,
      everything_2.moods AS moods,
      everything_2.bigs AS bigs,
      everything_2.words AS words,
      everything_2.r AS r,
      everything_2.i AS i
    FROM public.everything AS everything_2
    ORDER BY everything_2.id ASC
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
                      CAST(pg_catalog.jsonb_build_array(page_1.id) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "big" : ' || coalesce(
            ('"' || CAST(page_1.big AS TEXT) || '"'), 'null'
          ) || ', "amount" : ' || coalesce(('"' || CAST(page_1.amount AS TEXT) || '"'), 'null') || ', "f" : ' || coalesce(
            CAST(
              pg_catalog.to_json(nullif(nullif(nullif(page_1.f, 'NaN'), 'Infinity'), '-Infinity')) AS TEXT
            ),
            'null'
          ) || ', "j" : ' || coalesce(CAST(pg_catalog.to_json(page_1.j #>> '{}') AS TEXT), 'null') || ', "at" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.at) AS TEXT), 'null'
          ) || ', "mood" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (CAST(page_1.mood AS TEXT) = 'so so') THEN 'so_so'
                ELSE CAST(page_1.mood AS TEXT)
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "moods" : ' || coalesce(
            CASE
            WHEN (coalesce(pg_catalog.array_ndims(page_1.moods), 1) = 1) THEN
            CASE
            WHEN (page_1.moods IS NOT NULL) THEN (
              SELECT coalesce(
                '[' || pg_catalog.string_agg(
                  coalesce(
                    CAST(
                      pg_catalog.to_json(
                        CASE
                        WHEN (CAST(anon_2.item AS TEXT) = 'so so') THEN 'so_so'
                        ELSE CAST(anon_2.item AS TEXT)
                        END
                      ) AS TEXT
                    ),
                    'null'
                  ),
                  ', '
                  ORDER BY anon_2.place
                ) || ']',
                '[]'
              ) AS json_1
              FROM pg_catalog.unnest(page_1.moods)
              WITH ORDINALITY AS anon_2(item, place)
            )
            END
            END,
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
          ) || ', "words" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(page_1.words), 1) = 1) THEN page_1.words
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "r" : ' || coalesce(CAST(pg_catalog.to_json(page_1.r) AS TEXT), 'null') || ', "i" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.i) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
