SELECT (
  WITH page_2 AS (
    SELECT book_4.id AS id
    FROM public.book AS book_4
    WHERE book_4.pages >= CAST($1 AS integer)
    ORDER BY book_4.id ASC
    LIMIT 1
  )
  SELECT (
    '{"aggregate" : ' || coalesce(
      (
        SELECT (
          '{"count" : ' || coalesce(CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null') || ', "sum" : {"pages" : ' || coalesce(
            CAST(pg_catalog.to_json("pg_catalog"."sum"(book_1.pages)) AS TEXT), 'null'
          ) || ', "price" : ' || coalesce(
            CAST(pg_catalog.to_json("pg_catalog"."sum"(book_1.price)) AS TEXT), 'null'
          ) || '}, "avg" : {"pages" : ' || coalesce(
            CAST(pg_catalog.to_json("pg_catalog"."avg"(CAST(book_1.pages AS numeric))) AS TEXT),
            'null'
          ) || '}, "min" : {"title" : ' || coalesce(
            CAST(pg_catalog.to_json("pg_catalog"."min"(book_1.title)) AS TEXT), 'null'
          ) || ', "published" : ' || coalesce(
            CAST(pg_catalog.to_json("pg_catalog"."min"(book_1.published)) AS TEXT), 'null'
          ) || '}, "max" : {"id" : ' || coalesce(
            CAST(pg_catalog.to_json("pg_catalog"."max"(book_1.id)) AS TEXT), 'null'
          ) || ', "price" : ' || coalesce(
            CAST(pg_catalog.to_json("pg_catalog"."max"(book_1.price)) AS TEXT), 'null'
          ) || '}}'
        ) AS json_1
        FROM public.book AS book_1
        WHERE book_1.pages >= CAST($1 AS integer)
        HAVING true
      ),
      'null'
    ) || ', "edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"node" : {"id" : ' || coalesce(CAST(page_2.id AS TEXT), 'null') || '}}'), ', '
      ) || ']',
      '[]'
    ) || ', "totalCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          (
            SELECT pg_catalog.count(*) AS count_1
            FROM public.book AS book_3
            WHERE book_3.pages >= CAST($1 AS integer)
          )
        ) AS TEXT
      ),
      'null'
    ) || '}'
  )
  FROM page_2
) AS anon_1;
-- ["100"]
