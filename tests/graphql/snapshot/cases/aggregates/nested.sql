SELECT (
  WITH page_1 AS (
    SELECT author_3.name AS name,
      author_3.id AS id
    FROM public.author AS author_3
    ORDER BY author_3.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"name" : ' || coalesce(CAST(pg_catalog.to_json(page_1.name) AS TEXT), 'null') || ', "bookCollection" : {"aggregate" : ' || coalesce(
            (
              SELECT (
                '{"n" : ' || coalesce(
                  CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
                ) || ', "s" : {"p" : ' || coalesce(
                  CAST(pg_catalog.to_json("pg_catalog"."sum"(book_2.pages)) AS TEXT), 'null'
                ) || '}}'
              ) AS json_1
              FROM public.book AS book_2
              WHERE (book_2.author_id = page_1.id)
              AND (book_2.title <> CAST($1 AS text))
              HAVING true
            ),
            'null'
          ) || '}}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["A"]
