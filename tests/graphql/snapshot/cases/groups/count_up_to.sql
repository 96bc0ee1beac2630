SELECT (
  WITH page_1 AS (
    SELECT account_4.id AS id FROM public.account AS account_4 ORDER BY account_4.id ASC LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"postCollection" : {"countUpTo" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                (
                  SELECT pg_catalog.count(*) AS count_1
                  FROM (
                    SELECT 1 AS one
                    FROM public.post AS post_2
                    WHERE post_2.account_id = page_1.id
                    LIMIT 2
                  ) AS counted_3
                )
              ) AS TEXT
            ),
            'null'
          ) || '}}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
