SELECT CAST(
  json_build_object(
    'aggregate', (
      SELECT json_build_object(
        'count', count(*),
        'sum', json_build_object('pages', "pg_catalog"."sum"(book_1.pages)),
        'avg', json_build_object('price', "pg_catalog"."avg"(CAST(book_1.price AS numeric))),
        'min', json_build_object('title', "pg_catalog"."min"(book_1.title))
      ) AS json_build_object_1
      FROM public.book AS book_1
      WHERE book_1.id = CAST($1 AS integer)
      HAVING true
    )
  ) AS TEXT
) AS anon_1;
-- ["99"]
