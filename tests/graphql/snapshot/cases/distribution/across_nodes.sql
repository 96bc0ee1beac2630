SELECT CAST(
  (
    SELECT json_build_object(
      'edges', coalesce(json_agg(json_build_object('node', page_4.node)), '[]')
    ) AS json_build_object_1
    FROM (
      SELECT json_build_object(
        'name', author_1.name,
        'bookCollection', (
          SELECT json_build_object(
            'edges', coalesce(json_agg(json_build_object('node', page_3.node)), '[]')
          ) AS json_build_object_2
          FROM (
            SELECT json_build_object('title', book_2.title) AS node
            FROM public.book AS book_2
            WHERE (book_2.tenant_id = author_1.tenant_id)
            AND (book_2.author_id = author_1.id)
            ORDER BY book_2.tenant_id ASC NULLS LAST,
              book_2.id ASC NULLS LAST
            LIMIT 30
          ) AS page_3
        )
      ) AS node
      FROM public.author AS author_1
      ORDER BY author_1.tenant_id ASC NULLS LAST,
        author_1.tenant_id ASC NULLS LAST,
        author_1.id ASC NULLS LAST
      LIMIT 30
    ) AS page_4
  ) AS TEXT
) AS anon_1;
-- []
