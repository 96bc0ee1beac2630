SELECT (
  WITH page_1 AS (
    SELECT thing_2.id AS id
    FROM public.thing AS thing_2
    WHERE (thing_2.mood = CAST($1 AS public.mood))
    AND (thing_2.tags @> CAST($2 AS text[]))
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
-- ["so so", "{\"red\"}"]
