SELECT (
  WITH page_1 AS (
    SELECT everything_2.id AS id
    FROM public.everything AS everything_2
    WHERE (everything_2.big = CAST($1 AS bigint))
    AND (everything_2.amount = CAST($2 AS numeric))
    AND (everything_2.at = CAST($3 AS timestamp with time zone))
    AND (everything_2.mood = CAST($4 AS public.mood))
    AND (everything_2.r = CAST($5 AS int4range))
    AND (everything_2.i = CAST($6 AS interval))
    ORDER BY everything_2.id ASC
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
-- ["9007199254740993", "1.5", "2020-01-01T01:00:00+01:00", "so so", "[1,4]", "24 hours"]
