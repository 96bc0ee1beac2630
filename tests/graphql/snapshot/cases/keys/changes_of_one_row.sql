WITH affected_1 AS (
  UPDATE public.account AS account_2
  SET hits=(account_2.hits + CAST($1 AS integer)),
    tags=pg_catalog.array_cat(coalesce(account_2.tags, CAST('{}' AS text[])), CAST($2 AS text[])),
    data=(
      SELECT pg_catalog.jsonb_set(
        CASE
        WHEN (pg_catalog.jsonb_typeof(source_3.document) IN ('object', 'array')) THEN source_3.document
        WHEN (
          pg_catalog.jsonb_typeof(source_3.document) IS NULL
          OR pg_catalog.jsonb_typeof(source_3.document) = 'null'
        ) THEN CAST('{}' AS jsonb)
        ELSE CAST(
          CAST(
            CAST(
              'portico: setPath leads through a value of data that is neither object nor array; ' || CAST(
                pg_catalog.jsonb_typeof(source_3.document) AS TEXT
              ) AS integer
            ) AS TEXT
          ) AS jsonb
        )
        END,
          ARRAY[CAST($3 AS text)],
          pg_catalog.jsonb_set(
            CASE
            WHEN (
              pg_catalog.jsonb_typeof(source_3.document #> ARRAY[CAST($3 AS text)]) IN (
                'object', 'array'
              )
            ) THEN source_3.document #> ARRAY[CAST($3 AS text)]
            WHEN (
              pg_catalog.jsonb_typeof(source_3.document #> ARRAY[CAST($3 AS text)]) IS NULL
              OR pg_catalog.jsonb_typeof(source_3.document #> ARRAY[CAST($3 AS text)]) = 'null'
            ) THEN CAST('{}' AS jsonb)
            ELSE CAST(
              CAST(
                CAST(
                  'portico: setPath leads through a value of data that is neither object nor array; ' || CAST(
                    pg_catalog.jsonb_typeof(source_3.document #> ARRAY[CAST($3 AS text)]) AS TEXT
                  ) AS integer
                ) AS TEXT
              ) AS jsonb
            )
            END,
              ARRAY[CAST($4 AS text)],
              CAST($5 AS jsonb)
          )
      ) AS jsonb_set_1
      FROM (
        SELECT coalesce(nullif(account_2.data, CAST('null' AS jsonb)), CAST('{}' AS jsonb)) AS document
        LIMIT ALL
        OFFSET 0
      ) AS source_3
    )
  WHERE account_2.email = CAST($6 AS text)
  RETURNING account_2.id AS id,
    account_2.hits AS hits,
    account_2.tags AS tags,
    account_2.data AS data
)
SELECT (
  SELECT (
    '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "hits" : ' || coalesce(
      CAST(affected_1.hits AS TEXT), 'null'
    ) || ', "tags" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          CASE
          WHEN (coalesce(pg_catalog.array_ndims(affected_1.tags), 1) = 1) THEN affected_1.tags
          END
        ) AS TEXT
      ),
      'null'
    ) || ', "data" : ' || coalesce(
      CAST(pg_catalog.to_json(affected_1.data #>> '{}') AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM affected_1
) AS anon_1;
-- ["1", "{\"b\"}", "b", "c", "true", "a@x"]

WITH affected_1 AS (
  DELETE FROM public.account AS account_2
  WHERE account_2.id = CAST($1 AS integer)
  RETURNING account_2.id AS id,
    account_2.email AS email
)
SELECT (
  SELECT (
    '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "email" : ' || coalesce(
      CAST(pg_catalog.to_json(affected_1.email) AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM affected_1
) AS anon_1;
-- ["2"]

-- afterwards:
-- [1, "a@x", "Ann", 6, ["a", "b"], {"a": 1, "b": {"c": true}}]
