SELECT CAST(
  (
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
          post_2.created_at DESC NULLS LAST,
          post_2.id ASC NULLS LAST
      ) AS first_3
      ORDER BY first_3.created_at DESC NULLS LAST,
        first_3.id ASC NULLS LAST
      LIMIT 5
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(json_build_object('node', json_build_object('title', page_1.title))), '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
