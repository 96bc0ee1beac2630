SELECT CAST(
  (
    WITH page_1 AS (
      SELECT writer_4.address AS address,
        writer_4.id AS id
      FROM public.writer AS writer_4
      WHERE EXISTS (
        SELECT
        FROM public.headline AS headline_5
        WHERE (headline_5.writer_id = writer_4.id)
        AND (headline_5.short = CAST($1 AS text))
      )
      ORDER BY writer_4.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'address', page_1.address,
              'headlineCollection', (
                WITH page_2 AS (
                  SELECT headline_3.number AS number
                  FROM public.headline AS headline_3
                  LEFT OUTER JOIN public.writer AS headline_3_r1 ON headline_3_r1.id = headline_3.writer_id
                  WHERE headline_3.writer_id = page_1.id
                  ORDER BY headline_3_r1.address ASC NULLS LAST,
                    headline_3.number ASC NULLS LAST
                  LIMIT 30
                )
                SELECT json_build_object(
                  'edges', coalesce(
                    json_agg(json_build_object('node', json_build_object('number', page_2.number))) FILTER (
                      WHERE page_2.number IS NOT NULL
                    ),
                    '[]'
                  )
                ) AS json_build_object_2
                FROM page_2
              )
            )
          )
        ) FILTER (WHERE page_1.id IS NOT NULL),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      SELECT json_build_object(
        'short', headline_6.short,
        'writer', (
          SELECT json_build_object('address', writer_7.address) AS json_build_object_4
          FROM public.writer AS writer_7
          WHERE writer_7.id = headline_6.writer_id
        ),
        'account', (
          SELECT json_build_object('email', account_8.email) AS json_build_object_5
          FROM public.account AS account_8
          WHERE account_8.id = headline_6.writer_id
        )
      ) AS json_build_object_3
      FROM public.headline AS headline_6
      WHERE headline_6.number = CAST($2 AS integer)
    ) AS TEXT
  ) AS anon_2;
-- ["on", "3"]
