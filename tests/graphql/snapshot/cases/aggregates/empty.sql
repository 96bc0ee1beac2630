SELECT (
  '{"aggregate" : ' || coalesce(
    (
      SELECT (
        '{"count" : ' || coalesce(CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null') || ', "sum" : {"pages" : ' || coalesce(
          CAST(pg_catalog.to_json("pg_catalog"."sum"(book_1.pages)) AS TEXT), 'null'
        ) || '}, "avg" : {"price" : ' || coalesce(
          CAST(pg_catalog.to_json("pg_catalog"."avg"(CAST(book_1.price AS numeric))) AS TEXT),
          'null'
        ) || '}, "min" : {"title" : ' || coalesce(
          CAST(pg_catalog.to_json("pg_catalog"."min"(book_1.title)) AS TEXT), 'null'
        ) || '}}'
      ) AS json_2
      FROM public.book AS book_1
      WHERE book_1.id = CAST($1 AS integer)
      HAVING true
    ),
    'null'
  ) || '}'
) AS json_1;
-- ["99"]
