SELECT CAST(
  (
    WITH page_1 AS (
      SELECT book_2.title AS title
      FROM public.book AS book_2
      LEFT OUTER JOIN public.author AS book_2_r1 ON (
        (book_2_r1.tenant_id = book_2.tenant_id) AND (book_2_r1.tenant_id = CAST($1 AS integer))
      )
      AND (book_2_r1.id = book_2.author_id)
      WHERE book_2.tenant_id = CAST($1 AS integer)
      ORDER BY book_2_r1.name DESC NULLS LAST,
        book_2.id ASC NULLS LAST,
        book_2.tenant_id ASC NULLS LAST,
        book_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(json_build_object('node', json_build_object('title', page_1.title))), '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- ["1"]
