SELECT (
  WITH page_1 AS (
    SELECT picked_4.title AS title,
      picked_4.id AS id,
      picked_4.ordered_by AS ordered_by,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      (
        SELECT post_3.title AS title,
          post_3.id AS id,
          post_3_r1.name AS ordered_by
        FROM public.post AS post_3
        LEFT OUTER JOIN public.account AS post_3_r1 ON post_3_r1.id = post_3.account_id
        WHERE (post_3_r1.name = CAST($1 AS text))
        AND (post_3.id > CAST($2 AS integer))
        ORDER BY post_3_r1.name DESC NULLS LAST,
          post_3.id ASC
        LIMIT 2
      )
      UNION ALL (
        SELECT post_3.title AS title,
          post_3.id AS id,
          post_3_r1.name AS ordered_by
        FROM public.post AS post_3
        LEFT OUTER JOIN public.account AS post_3_r1 ON post_3_r1.id = post_3.account_id
        WHERE post_3_r1.name < CAST($1 AS text)
        ORDER BY post_3_r1.name DESC NULLS LAST,
          post_3.id ASC
        LIMIT 2
      )
      UNION ALL (
        SELECT post_3.title AS title,
          post_3.id AS id,
          post_3_r1.name AS ordered_by
        FROM public.post AS post_3
        LEFT OUTER JOIN public.account AS post_3_r1 ON post_3_r1.id = post_3.account_id
        WHERE post_3_r1.name IS NULL
        ORDER BY post_3_r1.name DESC NULLS LAST,
          post_3.id ASC
        LIMIT 2
      )
      LIMIT 2
    ) AS picked_4
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"title" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.title) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_1.position <= 1) || ']',
      '[]'
    ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 1) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          coalesce(
            pg_catalog.bool_and(
              page_1.id IS DISTINCT
              FROM (
                (
                  SELECT post_2.id
                  FROM public.post AS post_2
                  LEFT OUTER JOIN public.account AS post_2_r1 ON post_2_r1.id = post_2.account_id
                  WHERE post_2_r1.name IS NOT NULL
                  ORDER BY post_2_r1.name DESC NULLS LAST,
                    post_2.id ASC
                  LIMIT 1
                )
                UNION ALL (
                  SELECT post_2.id
                  FROM public.post AS post_2
                  LEFT OUTER JOIN public.account AS post_2_r1 ON post_2_r1.id = post_2.account_id
                  WHERE post_2_r1.name IS NULL
                  ORDER BY post_2_r1.name DESC NULLS LAST,
                    post_2.id ASC
                  LIMIT 1
                )
                LIMIT 1
              )
            ) FILTER (WHERE page_1.position = 1),
            false
          )
        ) AS TEXT
      ),
      'null'
    ) || ', "endCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
            pg_catalog.translate(
              pg_catalog.encode(
                pg_catalog.convert_to(
                  CAST(pg_catalog.jsonb_build_array(page_1.ordered_by, page_1.id) AS TEXT), 'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_1.position = least(page_1.count, 1))
        ) AS TEXT
      ),
      'null'
    ) || '}}'
  )
  FROM page_1
) AS anon_1;
-- ["Ann", "1"]
