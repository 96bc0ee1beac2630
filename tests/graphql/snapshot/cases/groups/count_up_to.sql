SELECT CAST(
  (
    WITH page_1 AS (
      SELECT account_4.id AS id
      FROM public.account AS account_4
      ORDER BY account_4.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'postCollection', json_build_object(
                'countUpTo', (
                  SELECT count(*) AS count_1
                  FROM (
                    SELECT 1 AS one
                    FROM public.post AS post_2
                    WHERE post_2.account_id = page_1.id
                    LIMIT 2
                  ) AS counted_3
                )
              )
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
