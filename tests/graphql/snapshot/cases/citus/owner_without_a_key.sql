WITH affected_1 AS (
  INSERT INTO public.label (tenant_id, id)
  VALUES (CAST($1 AS integer), CAST($2 AS integer))
  RETURNING public.label.tenant_id AS tenant_id,
    public.label.id AS id,
    public.label.code AS code
)
SELECT pg_catalog.num_nulls(
  "graphql".set_local(
    CAST(ARRAY['portico.k2', 'portico.k1'] AS text[]),
    CAST(ARRAY[texts_2.text_0, texts_2.text_1] AS text[])
  )
) AS num_nulls_1
FROM (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) != pg_catalog.cardinality(CAST($3 AS integer[]))) THEN CAST(
    CAST(
      'portico: A new row of Label was left out, and others are to belong to it; ' || CAST(
        pg_catalog.count(*) AS TEXT
      ) AS integer
    ) AS TEXT
  )
  ELSE (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || '}'
  )
  END AS text_0,
    CAST(
      CAST(
        coalesce(
          pg_catalog.json_agg(
            pg_catalog.json_build_array(
              CAST(affected_1.tenant_id AS TEXT),
              CAST(affected_1.id AS TEXT),
              CAST(affected_1.code AS TEXT)
            )
          ),
          '[]'
        ) AS TEXT
      ) AS TEXT
    ) AS text_1
  FROM affected_1
  HAVING true
  LIMIT ALL
  OFFSET 0
) AS texts_2,
  (SELECT 1 FROM pg_catalog.pg_am LIMIT 1) AS here_3;
-- ["1", "1", "{1}"]

WITH tag_4 AS (
  INSERT INTO public.tag (tenant_id, id, code)
  VALUES (
    CAST($1 AS integer),
    CAST($2 AS integer),
    CASE
    WHEN (
      CAST(
        CASE
        WHEN (
          CAST(
            (CAST(pg_catalog.current_setting('portico.k1') AS jsonb) -> CAST($3 AS integer)) ->> 2 AS text
          ) IS NULL
        ) THEN 'portico: A row of Label has no code, and others are to belong to it;'
        ELSE '0'
        END AS integer
      ) = 0
    ) THEN CAST(
      (CAST(pg_catalog.current_setting('portico.k1') AS jsonb) -> CAST($3 AS integer)) ->> 2 AS text
    )
    END
  )
  RETURNING 1 AS one
)
SELECT pg_catalog.count(*) AS count_1
FROM tag_4;
-- ["1", "1", "0"]

SELECT (
  '{"affectedCount" : ' || coalesce(
    CAST(
      pg_catalog.to_json(CAST(pg_catalog.current_setting('portico.k2') AS json) -> 'affectedCount') AS TEXT
    ),
    'null'
  ) || '}'
) AS json_1;
-- []
