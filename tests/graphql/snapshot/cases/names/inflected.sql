SELECT CAST(
  (
    WITH page_1 AS (
      SELECT blog_post_2.id AS id,
        blog_post_2."ownerID" AS "ownerID",
        blog_post_2.published_at_ AS published_at_,
        blog_post_2.__odd__ AS __odd__,
        blog_post_2.word AS word
      FROM public.blog_post AS blog_post_2
      WHERE blog_post_2.word = CAST($1 AS text)
      ORDER BY blog_post_2.published_at_ ASC NULLS LAST,
        blog_post_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'id', page_1.id,
              'ownerID', page_1."ownerID",
              'publishedAt', page_1.published_at_,
              'odd', page_1.__odd__,
              'the_Word', page_1.word
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- ["w"]
