SELECT CAST(
  (
    SELECT json_build_object(
      'pageInfo', json_build_object(
        'hasNextPage', count(page_1.position) > 2,
        'endCursor', max(
          translate(
            encode(
              convert_to(
                CAST(jsonb_build_array(page_1.title, page_1.tenant_id, page_1.id) AS TEXT), 'UTF8'
              ),
              'base64'
            ),
            E'\n',
            ''
          )
        ) FILTER (WHERE page_1.position = least(page_1.count, 2))
      ),
      'edges', coalesce(
        json_agg(
          json_build_object(
            'cursor', translate(
              encode(
                convert_to(
                  CAST(jsonb_build_array(page_1.title, page_1.tenant_id, page_1.id) AS TEXT), 'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            ),
            'first', page_1.node,
            'second', page_1.node_2
          )
        ) FILTER (WHERE page_1.position <= 2),
        '[]'
      )
    ) AS json_build_object_1
    FROM (
      SELECT picked_8.title AS title,
        picked_8.tenant_id AS tenant_id,
        picked_8.id AS id,
        picked_8.node AS node,
        picked_8.node_2 AS node_2,
        row_number() OVER () AS position,
        count(*) OVER () AS count
      FROM (
        SELECT book_2.title AS title,
          book_2.tenant_id AS tenant_id,
          book_2.id AS id,
          json_build_object(
            'title', book_2.title,
            'author', (
              SELECT json_build_object('name', author_3.name) AS json_build_object_2
              FROM public.author AS author_3
              WHERE (author_3.tenant_id = book_2.tenant_id)
              AND (author_3.id = book_2.author_id)
            )
          ) AS node,
          json_build_object(
            'genreCollection', (
              SELECT json_build_object(
                'edges', coalesce(
                  json_agg(json_build_object('bookGenre', page_7.node, 'node', page_7.node_2)), '[]'
                )
              ) AS json_build_object_3
              FROM (
                SELECT (
                  SELECT json_build_object('genreId', book_genre_4.genre_id) AS json_build_object_4
                  FROM public.book_genre AS book_genre_4
                  WHERE (book_2.tenant_id = book_genre_4.tenant_id)
                  AND (book_2.id = book_genre_4.book_id)
                  AND (genre_5.tenant_id = book_genre_4.tenant_id)
                  AND (genre_5.id = book_genre_4.genre_id)
                ) AS node,
                  json_build_object('name', genre_5.name) AS node_2
                FROM public.genre AS genre_5
                WHERE EXISTS (
                  SELECT
                  FROM public.book_genre AS book_genre_6
                  WHERE (book_2.tenant_id = book_genre_6.tenant_id)
                  AND (book_2.id = book_genre_6.book_id)
                  AND (genre_5.tenant_id = book_genre_6.tenant_id)
                  AND (genre_5.id = book_genre_6.genre_id)
                )
                ORDER BY genre_5.tenant_id ASC NULLS LAST,
                  genre_5.id ASC NULLS LAST
                LIMIT 30
              ) AS page_7
            )
          ) AS node_2
        FROM public.book AS book_2
        ORDER BY book_2.title DESC NULLS LAST,
          book_2.tenant_id ASC NULLS LAST,
          book_2.id ASC NULLS LAST
        LIMIT 3
        OFFSET CAST($1 AS bigint)
      ) AS picked_8
    ) AS page_1
  ) AS TEXT
) AS anon_1;
-- ["1"]
