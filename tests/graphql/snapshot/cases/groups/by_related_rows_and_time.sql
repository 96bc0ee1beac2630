SELECT (
  '{"groups" : ' || coalesce(
    (
      SELECT coalesce(
        '[' || pg_catalog.string_agg(coalesce(groups_2."group", 'null'), ', ') || ']', '[]'
      ) AS json_2
      FROM (
        SELECT (
          '{"key" : {"account" : {"name" : ' || coalesce(
            CAST(pg_catalog.to_json(post_1_r1.name) AS TEXT), 'null'
          ) || '}}, "aggregate" : {"count" : ' || coalesce(
            CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
          ) || '}}'
        ) AS "group"
        FROM public.post AS post_1
        LEFT OUTER JOIN public.account AS post_1_r1 ON post_1_r1.id = post_1.account_id
        GROUP BY post_1_r1.name,
          "pg_catalog"."date_trunc"('month', post_1.created_at, CAST($1 AS text))
        ORDER BY post_1_r1.name ASC NULLS LAST,
          "pg_catalog"."date_trunc"('month', post_1.created_at, CAST($1 AS text)) ASC NULLS LAST
        LIMIT 30
      ) AS groups_2
    ),
    'null'
  ) || '}'
) AS json_1;
-- ["UTC"]
