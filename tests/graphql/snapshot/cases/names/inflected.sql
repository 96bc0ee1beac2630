SELECT (
  WITH page_1 AS (
    SELECT blog_post_2.id AS id,
      blog_post_2."ownerID" AS "ownerID",
      blog_post_2.published_at_ AS published_at_,
      blog_post_2.__odd__ AS __odd__,
      blog_post_2.word AS word
    FROM public.blog_post AS blog_post_2
    WHERE blog_post_2.word = CAST($1 AS text)
    ORDER BY blog_post_2.published_at_ ASC NULLS LAST,
      blog_post_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "ownerID" : ' || coalesce(
            CAST(page_1."ownerID" AS TEXT), 'null'
          ) || ', "publishedAt" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.published_at_) AS TEXT), 'null'
          ) || ', "odd" : ' || coalesce(CAST(page_1.__odd__ AS TEXT), 'null') || ', "the_Word" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.word) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["w"]
