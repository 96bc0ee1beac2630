SELECT CAST(
  (
    WITH page_1 AS (
      SELECT thing_2.id AS id
      FROM public.thing AS thing_2
      WHERE (thing_2.mood = CAST($1 AS public.mood))
      AND (thing_2.tags @> CAST($2 AS text[]))
      ORDER BY thing_2.id ASC NULLS LAST
      LIMIT 30
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(json_build_object('node', json_build_object('id', page_1.id))), '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- ["so so", "{\"red\"}"]
