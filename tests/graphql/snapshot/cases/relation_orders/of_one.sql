SELECT (
  WITH page_2 AS (
    (
      SELECT post_3.id AS id,
        post_3.title AS title,
        post_3_r1.name AS ordered_by,
        post_3_r1.email AS ordered_by_2
      FROM public.post AS post_3
      LEFT OUTER JOIN public.account AS post_3_r1 ON post_3_r1.id = post_3.account_id
      WHERE post_3_r1.name IS NOT NULL
      ORDER BY post_3_r1.name ASC NULLS LAST,
        post_3_r1.email DESC NULLS LAST,
        post_3.id ASC
      LIMIT 30
    )
    UNION ALL (
      SELECT post_3.id AS id,
        post_3.title AS title,
        post_3_r1.name AS ordered_by,
        post_3_r1.email AS ordered_by_2
      FROM public.post AS post_3
      LEFT OUTER JOIN public.account AS post_3_r1 ON post_3_r1.id = post_3.account_id
      WHERE post_3_r1.name IS NULL
      ORDER BY post_3_r1.name ASC NULLS LAST,
        post_3_r1.email DESC NULLS LAST,
        post_3.id ASC
      LIMIT 30
    )
    LIMIT 30
  )
  SELECT (
    '{"totalCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json((SELECT pg_catalog.count(*) AS count_1 FROM public.post AS post_1)) AS TEXT
      ),
      'null'
    ) || ', "edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(
                        pg_catalog.jsonb_build_array(
                          page_2.ordered_by, page_2.ordered_by_2, page_2.id
                        ) AS TEXT
                      ),
                      'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"title" : ' || coalesce(
            CAST(pg_catalog.to_json(page_2.title) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_2
) AS anon_1;
-- []
