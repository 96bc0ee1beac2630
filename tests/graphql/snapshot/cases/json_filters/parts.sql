SELECT CAST(
  (
    WITH page_1 AS (
      SELECT account_2.id AS id,
        account_2.data AS data,
        account_2.log AS log
      FROM public.account AS account_2
      ORDER BY account_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object(
              'id', page_1.id,
              'tag', (page_1.data #> CAST($1 AS text[])) #>> '{}',
              'first', (page_1.log #> CAST($2 AS text[])) #>> '{}',
              'log', page_1.log #>> '{}'
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- ["{\"tags\",\"0\"}", "{\"last\",\"0\"}"]
