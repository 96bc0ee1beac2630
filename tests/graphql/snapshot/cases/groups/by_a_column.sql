SELECT (
  '{"groups" : ' || coalesce(
    (
      SELECT coalesce(
        '[' || pg_catalog.string_agg(coalesce(groups_2."group", 'null'), ', ') || ']', '[]'
      ) AS json_2
      FROM (
        SELECT (
          '{"key" : {"accountId" : ' || coalesce(CAST(post_1.account_id AS TEXT), 'null') || ', "title" : null}, "aggregate" : {"count" : ' || coalesce(
            CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
          ) || ', "sum" : {"score" : ' || coalesce(
            CAST(pg_catalog.to_json("pg_catalog"."sum"(post_1.score)) AS TEXT), 'null'
          ) || '}, "countDistinct" : {"title" : ' || coalesce(
            CAST(pg_catalog.to_json(pg_catalog.count(DISTINCT post_1.title)) AS TEXT), 'null'
          ) || '}}}'
        ) AS "group"
        FROM public.post AS post_1
        WHERE post_1.title <> CAST($1 AS text)
        GROUP BY post_1.account_id
        HAVING pg_catalog.count(*) FILTER (WHERE post_1.title <> CAST($2 AS text)) >= CAST(
          $3 AS bigint
        )
        ORDER BY "pg_catalog"."sum"(post_1.score) DESC NULLS LAST,
          post_1.account_id ASC
        LIMIT 10
        OFFSET CAST($4 AS bigint)
      ) AS groups_2
    ),
    'null'
  ) || '}'
) AS json_1;
-- ["none", "two", "1", "0"]
