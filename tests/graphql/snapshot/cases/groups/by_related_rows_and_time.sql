SELECT CAST(
  json_build_object(
    'groups', (
      SELECT coalesce(json_agg(groups_2."group"), '[]') AS coalesce_1
      FROM (
        SELECT json_build_object(
          'key', json_build_object('account', json_build_object('name', post_1_r1.name)),
          'aggregate', json_build_object('count', count(*))
        ) AS "group"
        FROM public.post AS post_1
        LEFT OUTER JOIN public.account AS post_1_r1 ON post_1_r1.id = post_1.account_id
        GROUP BY post_1_r1.name,
          "pg_catalog"."date_trunc"('month', post_1.created_at, CAST($1 AS text))
        ORDER BY post_1_r1.name ASC NULLS LAST,
          "pg_catalog"."date_trunc"('month', post_1.created_at, CAST($1 AS text)) ASC NULLS LAST
        LIMIT 30
      ) AS groups_2
    )
  ) AS TEXT
) AS anon_1;
-- ["UTC"]
