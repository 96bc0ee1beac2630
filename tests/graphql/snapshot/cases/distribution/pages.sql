SELECT (
  SELECT (
    '{"pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_1.position) > 2) AS TEXT), 'null'
    ) || ', "endCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
            pg_catalog.translate(
              pg_catalog.encode(
                pg_catalog.convert_to(
                  CAST(
                    pg_catalog.jsonb_build_array(page_1.title, page_1.tenant_id, page_1.id) AS TEXT
                  ),
                  'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_1.position = least(page_1.count, 2))
        ) AS TEXT
      ),
      'null'
    ) || '}, "edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(
                        pg_catalog.jsonb_build_array(page_1.title, page_1.tenant_id, page_1.id) AS TEXT
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
          ) || ', "first" : ' || coalesce(page_1.node, 'null') || ', "second" : ' || coalesce(
            page_1.node_2, 'null'
          ) || '}'
        ), ', '
      ) FILTER (WHERE page_1.position <= 2) || ']',
      '[]'
    ) || '}'
  )
  FROM (
    SELECT picked_8.title AS title,
      picked_8.tenant_id AS tenant_id,
      picked_8.id AS id,
      picked_8.node AS node,
      picked_8.node_2 AS node_2,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      SELECT book_2.title AS title,
        book_2.tenant_id AS tenant_id,
        book_2.id AS id,
        (
          '{"title" : ' || coalesce(CAST(pg_catalog.to_json(book_2.title) AS TEXT), 'null') || ', "author" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_3.name) AS TEXT), 'null') || '}'
              )
              FROM public.author AS author_3
              WHERE (author_3.tenant_id = book_2.tenant_id)
              AND (author_3.id = book_2.author_id)
            ),
            'null'
          ) || '}'
        ) AS node,
        (
          '{"genreCollection" : ' || coalesce(
            (
              SELECT (
                '{"edges" : ' || coalesce(
                  '[' || pg_catalog.string_agg(
                    (
                      '{"bookGenre" : ' || coalesce(page_7.node, 'null') || ', "node" : ' || coalesce(
                        page_7.node_2, 'null'
                      ) || '}'
                    ), ', '
                  ) || ']',
                  '[]'
                ) || '}'
              )
              FROM (
                SELECT (
                  SELECT (
                    '{"genreId" : ' || coalesce(CAST(book_genre_4.genre_id AS TEXT), 'null') || '}'
                  ) AS json_1
                  FROM public.book_genre AS book_genre_4
                  WHERE (book_2.tenant_id = book_genre_4.tenant_id)
                  AND (book_2.id = book_genre_4.book_id)
                  AND (genre_5.tenant_id = book_genre_4.tenant_id)
                  AND (genre_5.id = book_genre_4.genre_id)
                ) AS node,
                  (
                    '{"name" : ' || coalesce(
                      CAST(pg_catalog.to_json(genre_5.name) AS TEXT), 'null'
                    ) || '}'
                  ) AS node_2
                FROM public.genre AS genre_5
                WHERE EXISTS (
                  SELECT
                  FROM public.book_genre AS book_genre_6
                  WHERE (book_2.tenant_id = book_genre_6.tenant_id)
                  AND (book_2.id = book_genre_6.book_id)
                  AND (genre_5.tenant_id = book_genre_6.tenant_id)
                  AND (genre_5.id = book_genre_6.genre_id)
                )
                ORDER BY genre_5.tenant_id ASC,
                  genre_5.id ASC
                LIMIT 30
              ) AS page_7
            ),
            'null'
          ) || '}'
        ) AS node_2
      FROM public.book AS book_2
      ORDER BY book_2.title DESC NULLS LAST,
        book_2.tenant_id ASC,
        book_2.id ASC
      LIMIT 3
      OFFSET CAST($1 AS bigint)
    ) AS picked_8
  ) AS page_1
) AS anon_1;
-- ["1"]
