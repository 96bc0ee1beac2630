SELECT (
  WITH page_1 AS (
    SELECT post_2.id AS id,
      post_2.title AS title
    FROM public.post AS post_2
    WHERE pg_catalog.to_tsvector(
      CAST('english' AS regconfig),
      coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
    ) @@ pg_catalog.websearch_to_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
    ORDER BY pg_catalog.ts_rank(
      pg_catalog.to_tsvector(
        CAST('english' AS regconfig),
        coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
      ),
      pg_catalog.websearch_to_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
    ) DESC,
      post_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "title" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.title) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1,
  (
    WITH page_3 AS (
      SELECT page_4.id AS id
      FROM public.page AS page_4
      WHERE page_4.document @@ pg_catalog.to_tsquery(CAST('english' AS regconfig), CAST($2 AS text))
      ORDER BY page_4.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || '}}'), ', '
        ) FILTER (WHERE page_3.id IS NOT NULL) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2;
-- ["cats -dogs", "'ru':*"]
