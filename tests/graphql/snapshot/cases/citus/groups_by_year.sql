SELECT (
  '{"groups" : ' || coalesce(
    (
      SELECT coalesce(
        '[' || pg_catalog.string_agg(coalesce(groups_2."group", 'null'), ', ') || ']', '[]'
      ) AS json_2
      FROM (
        SELECT (
          '{"key" : {"day" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                "pg_catalog"."min"(
                  CAST("pg_catalog"."date_trunc"('year', CAST(visit_1.day AS timestamp)) AS date)
                )
              ) AS TEXT
            ),
            'null'
          ) || '}, "aggregate" : {"count" : ' || coalesce(
            CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
          ) || '}}'
        ) AS "group"
        FROM public.visit AS visit_1
        GROUP BY CAST("pg_catalog"."date_trunc"('year', CAST(visit_1.day AS timestamp)) AS date)
        ORDER BY CAST("pg_catalog"."date_trunc"('year', CAST(visit_1.day AS timestamp)) AS date) ASC NULLS LAST
        LIMIT 30
      ) AS groups_2
    ),
    'null'
  ) || '}'
) AS json_1;
-- []
