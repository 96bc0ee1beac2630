SELECT CAST(
  json_build_object(
    'groups', (
      SELECT coalesce(json_agg(groups_2."group"), '[]') AS coalesce_1
      FROM (
        SELECT json_build_object(
          'key', json_build_object('accountId', post_1.account_id, 'title', NULL),
          'aggregate', json_build_object(
            'count', count(*),
            'sum', json_build_object('score', "pg_catalog"."sum"(post_1.score)),
            'countDistinct', json_build_object('title', count(DISTINCT post_1.title))
          )
        ) AS "group"
        FROM public.post AS post_1
        WHERE post_1.title <> CAST($1 AS text)
        GROUP BY post_1.account_id
        HAVING count(*) FILTER (WHERE post_1.title <> CAST($2 AS text)) >= CAST($3 AS bigint)
        ORDER BY "pg_catalog"."sum"(post_1.score) DESC NULLS LAST,
          post_1.account_id ASC NULLS LAST
        LIMIT 10
        OFFSET CAST($4 AS bigint)
      ) AS groups_2
    )
  ) AS TEXT
) AS anon_1;
-- ["none", "two", "1", "0"]
