SELECT pg_catalog.octet_length(
  pg_catalog.set_config(
    'portico.k1', coalesce(
      CAST(
        pg_catalog.array_agg(CAST(ROW("register_two_with_logs_7".*) AS "public"."account")) AS TEXT
      ),
      '{}'
    ),
    true
  )
) AS octet_length_1
FROM "public"."register_two_with_logs"("address" => CAST($1 AS text)) AS register_two_with_logs_7;
-- ["n"]

SELECT (
  WITH called_2 AS MATERIALIZED (
    SELECT register_two_with_logs_1.id AS id,
      register_two_with_logs_1.email AS email,
      register_two_with_logs_1.age AS age
    FROM pg_catalog.unnest(CAST(pg_catalog.current_setting('portico.k1') AS "public"."account"[])) AS register_two_with_logs_1
  )
  SELECT (
    WITH page_3 AS (
      SELECT result_6.email AS email,
        result_6.id AS id
      FROM called_2 AS result_6
      ORDER BY result_6.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"email" : ' || coalesce(
              CAST(pg_catalog.to_json(page_3.email) AS TEXT), 'null'
            ) || ', "logCollection" : ' || coalesce(
              (
                WITH page_4 AS (
                  SELECT log_5.what AS what
                  FROM public.log AS log_5
                  WHERE log_5.account_id = page_3.id
                  ORDER BY log_5.id ASC
                  LIMIT 30
                )
                SELECT (
                  '{"edges" : ' || coalesce(
                    '[' || pg_catalog.string_agg(
                      (
                        '{"node" : {"what" : ' || coalesce(
                          CAST(pg_catalog.to_json(page_4.what) AS TEXT), 'null'
                        ) || '}}'
                      ), ', '
                    ) || ']',
                    '[]'
                  ) || '}'
                )
                FROM page_4
              ),
              'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_3
  ) AS anon_2
  WHERE (SELECT pg_catalog.count(*) AS count_1 FROM called_2) >= 0
) AS anon_1;
-- []

-- afterwards:
-- ["n1"]
-- ["n2"]
