SELECT CAST(
  (
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
      ORDER BY every_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'i2', page_1.i2,
              'i8', CAST(page_1.i8 AS TEXT),
              'f4', nullif(nullif(nullif(page_1.f4, 'NaN'), 'Infinity'), '-Infinity'),
              'f8', nullif(nullif(nullif(page_1.f8, 'NaN'), 'Infinity'), '-Infinity'),
              'num', CAST(page_1.num AS TEXT),
              'flag', page_1.flag,
              't', page_1.t,
              'c', page_1.c,
              'v', page_1.v,
              'u', page_1.u,
              'd', page_1.d,
              'tm', page_1.tm,
              'ts', page_1.ts,
              'tstz', page_1.tstz,
              'j', page_1.j #>> '{}',
              'jb', page_1.jb #>> '{}',
              'e', page_1.e,
              'dom', page_1.dom,
              'iv', page_1.iv,
              'b', page_1.b,
              'net', page_1.net,
              'nums',
              CASE
              WHEN (coalesce(array_ndims(page_1.nums), 1) = 1) THEN CAST(page_1.nums AS text[])
              END,
                'bigs',
              CASE
              WHEN (coalesce(array_ndims(page_1.bigs), 1) = 1) THEN CAST(page_1.bigs AS text[])
              END,
                'docs',
              CASE
              WHEN (coalesce(array_ndims(page_1.docs), 1) = 1) THEN CAST(page_1.docs AS text[])
              END,
                'words',
              CASE
              WHEN (coalesce(array_ndims(page_1.words), 1) = 1) THEN page_1.words
              END,
                'grid',
              CASE
              WHEN (coalesce(array_ndims(page_1.grid), 1) = 1) THEN page_1.grid
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
