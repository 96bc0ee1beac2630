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
SELECT (
  SELECT (
    '{"insertedCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.count(*) FILTER (
            WHERE NOT (
              EXISTS (
                SELECT 1
                FROM public.part AS part_2
                WHERE (part_2.id = affected_1.id)
                AND (part_2.region = affected_1.region)
              )
            )
          )
        ) AS TEXT
      ),
      'null'
    ) || ', "records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "n" : ' || coalesce(
            CAST(affected_1.n AS TEXT), 'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["1", "a", "5", "2", "6"]
