WITH affected_1 AS (
  INSERT INTO public.account (id, email, name, hits)
  VALUES (CAST($1 AS integer), CAST($2 AS text), CAST($3 AS text), CAST($4 AS integer)),
    (CAST($5 AS integer), CAST($6 AS text), DEFAULT, DEFAULT) ON CONFLICT ON CONSTRAINT account_pkey DO
  UPDATE
  SET name = excluded.name,
    hits =
  CASE
  WHEN (
    EXISTS (
      SELECT 1
      FROM (VALUES (CAST($1 AS integer), true), (CAST($5 AS integer), false)) AS given_3 (
        key_0, given
      )
      WHERE given_3.given IS true
      AND (excluded.id = CAST(given_3.key_0 AS integer))
    )
  ) THEN public.account.hits + excluded.hits
  WHEN (
    EXISTS (
      SELECT 1
      FROM (VALUES (CAST($1 AS integer), true), (CAST($5 AS integer), false)) AS given_4 (
        key_0, given
      )
      WHERE given_4.given IS false
      AND (excluded.id = CAST(given_4.key_0 AS integer))
    )
  ) THEN public.account.hits
  ELSE CAST(
    CAST(
      CAST(
        'portico: The service cannot determine whether the object has a value for hits, as its key was changed | Give all objects a value for it, or none: docs/changes.md, "Upsert".; ' || CAST(
          public.account.hits AS TEXT
        ) AS integer
      ) AS TEXT
    ) AS integer
  )
  END
  WHERE public.account.hits > CAST($1 AS integer)
  RETURNING public.account.id AS id,
    public.account.name AS name,
    public.account.hits AS hits,
    xmax = 0 AS is_new
)
SELECT (
  SELECT (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || ', "insertedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*) FILTER (WHERE affected_1.is_new)) AS TEXT), 'null'
    ) || ', "records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "name" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_1.name) AS TEXT), 'null'
          ) || ', "hits" : ' || coalesce(CAST(affected_1.hits AS TEXT), 'null') || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["1", "q@x", "Eve", "2", "3", "c@x"]

-- afterwards:
-- [1, "a@x", "Eve", 7]
-- [2, "b@x", "Ben", 0]
-- [3, "c@x", null, 0]
