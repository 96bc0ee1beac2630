SELECT CAST(
  (
    WITH page_1 AS (
      SELECT post_2.id AS id,
        post_2.title AS title
      FROM public.post AS post_2
      WHERE to_tsvector(
        CAST('english' AS regconfig),
        coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
      ) @@ websearch_to_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
      ORDER BY ts_rank(
        to_tsvector(
          CAST('english' AS regconfig),
          coalesce(CAST(post_2.title AS TEXT), '') || ' ' || coalesce(CAST(post_2.body AS TEXT), '')
        ),
        websearch_to_tsquery(CAST('english' AS regconfig), CAST($1 AS text))
      ) DESC NULLS LAST,
        post_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object('node', json_build_object('id', page_1.id, 'title', page_1.title))
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      WITH page_3 AS (
        SELECT page_4.id AS id
        FROM public.page AS page_4
        WHERE page_4.document @@ to_tsquery(CAST('english' AS regconfig), CAST($2 AS text))
        ORDER BY page_4.id ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('id', page_3.id))) FILTER (
            WHERE page_3.id IS NOT NULL
          ),
          '[]'
        )
      ) AS json_build_object_2
      FROM page_3
    ) AS TEXT
  ) AS anon_2;
-- ["cats -dogs", "'ru':*"]
