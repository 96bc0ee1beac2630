SELECT CAST(
  (
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
      ORDER BY everything_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'cursor', translate(
              encode(convert_to(CAST(jsonb_build_array(page_1.id) AS TEXT), 'UTF8'), 'base64'),
              E'\n',
              ''
            ),
            'node', json_build_object(
              'id', page_1.id,
              'big', CAST(page_1.big AS TEXT),
              'amount', CAST(page_1.amount AS TEXT),
              'f', nullif(nullif(nullif(page_1.f, 'NaN'), 'Infinity'), '-Infinity'),
              'j', page_1.j #>> '{}',
              'at', page_1.at,
              'mood',
              CASE
              WHEN (CAST(page_1.mood AS TEXT) = 'so so') THEN 'so_so'
              ELSE CAST(page_1.mood AS TEXT)
              END,
                'moods',
              CASE
              WHEN (coalesce(array_ndims(page_1.moods), 1) = 1) THEN
              CASE
              WHEN (page_1.moods IS NOT NULL) THEN (
                SELECT coalesce(
                  json_agg(
                    CASE
                    WHEN (CAST(anon_2.item AS TEXT) = 'so so') THEN 'so_so'
                    ELSE CAST(anon_2.item AS TEXT)
                    END
                    ORDER BY anon_2.place
                  ),
                  '[]'
                ) AS coalesce_1
                FROM unnest(page_1.moods)
                WITH ORDINALITY AS anon_2(item, place)
              )
              END
              END,
                'bigs',
              CASE
              WHEN (coalesce(array_ndims(page_1.bigs), 1) = 1) THEN CAST(page_1.bigs AS text[])
              END,
                'words',
              CASE
              WHEN (coalesce(array_ndims(page_1.words), 1) = 1) THEN page_1.words
              END,
                'r', page_1.r,
                'i', page_1.i
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
