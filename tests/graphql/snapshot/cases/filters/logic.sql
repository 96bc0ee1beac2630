SELECT (
  WITH page_1 AS (
    SELECT thing_2.id AS id
    FROM public.thing AS thing_2
    WHERE (thing_2.id > CAST($1 AS integer))
    AND (
      (thing_2.name = CAST($2 AS character varying))
      OR (thing_2.good = CAST($3 AS boolean))
      AND NOT (thing_2.big > CAST($4 AS bigint))
    )
    ORDER BY thing_2.id ASC
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["0", "Anna", "false", "5"]
