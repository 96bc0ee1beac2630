SELECT (
  WITH page_1 AS (
    SELECT account_2.id AS id,
      account_2.data AS data,
      account_2.log AS log
    FROM public.account AS account_2
    ORDER BY account_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "tag" : ' || coalesce(
            CAST(pg_catalog.to_json((page_1.data #> CAST($1 AS text[])) #>> '{}') AS TEXT), 'null'
          ) || ', "first" : ' || coalesce(
            CAST(pg_catalog.to_json((page_1.log #> CAST($2 AS text[])) #>> '{}') AS TEXT), 'null'
          ) || ', "log" : ' || coalesce(
            CAST(pg_catalog.to_json(page_1.log #>> '{}') AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["{\"tags\",\"0\"}", "{\"last\",\"0\"}"]
