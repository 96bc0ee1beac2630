SELECT CAST(
  (
    SELECT json_build_object(
      'title', book_1.title,
      'genreCollection', (
        WITH page_2 AS (
          SELECT genre_3.name AS name
          FROM public.genre AS genre_3
          WHERE EXISTS (
            SELECT
            FROM public.book_genre AS book_genre_4
            WHERE (
              (book_1.tenant_id = book_genre_4.tenant_id)
              AND (book_genre_4.tenant_id = CAST($1 AS integer))
            )
            AND (book_1.id = book_genre_4.book_id)
            AND (
              (genre_3.tenant_id = book_genre_4.tenant_id)
              AND (genre_3.tenant_id = CAST($1 AS integer))
            )
            AND (genre_3.id = book_genre_4.genre_id)
          )
          ORDER BY genre_3.tenant_id ASC NULLS LAST,
            genre_3.id ASC NULLS LAST
          LIMIT 30
        )
        SELECT json_build_object(
          'edges', coalesce(
            json_agg(json_build_object('node', json_build_object('name', page_2.name))), '[]'
          )
        ) AS json_build_object_2
        FROM page_2
      )
    ) AS json_build_object_1
    FROM public.book AS book_1
    WHERE (book_1.tenant_id = CAST($1 AS integer))
    AND (book_1.id = CAST($2 AS integer))
  ) AS TEXT
) AS anon_1;
-- ["1", "2"]
