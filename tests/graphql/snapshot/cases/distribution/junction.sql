SELECT (
  SELECT (
    '{"title" : ' || coalesce(CAST(pg_catalog.to_json(book_1.title) AS TEXT), 'null') || ', "genreCollection" : ' || coalesce(
      (
        SELECT (
          '{"edges" : ' || coalesce(
            '[' || pg_catalog.string_agg(
              ('{"node" : ' || coalesce(page_4.node, 'null') || '}'), ', '
            ) || ']',
            '[]'
          ) || '}'
        )
        FROM (
          SELECT (
            '{"name" : ' || coalesce(CAST(pg_catalog.to_json(genre_2.name) AS TEXT), 'null') || '}'
          ) AS node
          FROM public.genre AS genre_2
          WHERE EXISTS (
            SELECT
            FROM public.book_genre AS book_genre_3
            WHERE (
              (book_1.tenant_id = book_genre_3.tenant_id)
              AND (book_genre_3.tenant_id = CAST($1 AS integer))
            )
            AND (book_1.id = book_genre_3.book_id)
            AND (
              (genre_2.tenant_id = book_genre_3.tenant_id)
              AND (genre_2.tenant_id = CAST($1 AS integer))
            )
            AND (genre_2.id = book_genre_3.genre_id)
          )
          ORDER BY genre_2.tenant_id ASC,
            genre_2.id ASC
          LIMIT 30
        ) AS page_4
      ),
      'null'
    ) || '}'
  ) AS json_1
  FROM public.book AS book_1
  WHERE (book_1.tenant_id = CAST($1 AS integer))
  AND (book_1.id = CAST($2 AS integer))
) AS anon_1;
-- ["1", "2"]
