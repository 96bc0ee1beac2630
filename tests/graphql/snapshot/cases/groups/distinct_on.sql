SELECT (
  WITH page_1 AS (
    SELECT first_3.title AS title
    FROM (
      SELECT DISTINCT ON (post_2.account_id) post_2.id AS id,
        post_2.account_id AS account_id,
        post_2.title AS title,
        post_2.score AS score,
        post_2.created_at AS created_at
      FROM public.post AS post_2
      ORDER BY post_2.account_id,
        post_2.created_at DESC,
        post_2.id ASC
    ) AS first_3
    ORDER BY first_3.created_at DESC NULLS LAST,
      first_3.id ASC NULLS LAST
    LIMIT 5
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"title" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.title) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
