WITH affected_1 AS (
  INSERT INTO public.part (id, region, n)
  VALUES (CAST($1 AS integer), CAST($2 AS text), CAST($3 AS integer)),
    (CAST($4 AS integer), CAST($2 AS text), CAST($5 AS integer)) ON CONFLICT ON CONSTRAINT part_pkey DO
  UPDATE
  SET n = excluded.n
  RETURNING public.part.id AS id,
    public.part.region AS region,
    public.part.n AS n
)
SELECT CAST(
  (
    SELECT json_build_object(
      'insertedCount', count(*) FILTER (
        WHERE NOT (
          EXISTS (
            SELECT 1
            FROM public.part AS part_2
            WHERE (part_2.id = affected_1.id)
            AND (part_2.region = affected_1.region)
          )
        )
      ),
      'records', coalesce(json_agg(json_build_object('id', affected_1.id, 'n', affected_1.n)), '[]')
    ) AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["1", "a", "5", "2", "6"]
