WITH affected_1 AS (
  INSERT INTO public.account (id, email)
  SELECT objects_8.id AS id,
    objects_8.email AS email
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS text[])) AS objects_8(id, email) ON CONFLICT ON CONSTRAINT account_pkey DO NOTHING
  RETURNING public.account.id AS id
)
SELECT pg_catalog.octet_length(
  pg_catalog.set_config(
    'portico.k2', (
      '{"affectedCount" : ' || coalesce(
        CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
      ) || ', "records" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          ('{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || '}'), ', '
        ) || ']',
        '[]'
      ) || '}'
    ),
    true
  )
) AS octet_length_1,
  pg_catalog.octet_length(
    pg_catalog.set_config(
      'portico.k1', CAST(
        coalesce(
          pg_catalog.json_agg(pg_catalog.json_build_array(CAST(affected_1.id AS TEXT))), '[]'
        ) AS TEXT
      ),
      true
    )
  ) AS octet_length_2
FROM affected_1
HAVING true;
-- ["{\"2\",\"9\",\"1\"}", "{\"z@x\",\"i@x\",\"y@x\"}"]

WITH existing_2 AS (
  SELECT DISTINCT ON (account_3.id) account_3.id AS id,
    account_3.email AS email,
    proposed_6.position AS position
  FROM (
    SELECT objects_5.position AS position,
      objects_5.id AS value_0
    FROM (
      SELECT objects_4.position AS position,
        CAST(objects_4.id AS integer) AS id
      FROM pg_catalog.unnest(CAST($1 AS integer[]))
      WITH ORDINALITY AS objects_4(id, position)
      LIMIT ALL
      OFFSET 0
    ) AS objects_5
  ) AS proposed_6
  JOIN public.account AS account_3 ON account_3.id = proposed_6.value_0
  WHERE NOT (
    EXISTS (
      SELECT 1
      FROM pg_catalog.json_array_elements(CAST(pg_catalog.current_setting('portico.k1') AS json)) AS returned_7(
        key
      )
      WHERE account_3.id = CAST(returned_7.key ->> 0 AS integer)
    )
  )
  ORDER BY account_3.id,
    proposed_6.position
)
SELECT (
  '{"affectedCount" : ' || coalesce(
    CAST(
      pg_catalog.to_json(CAST(pg_catalog.current_setting('portico.k2') AS json) -> 'affectedCount') AS TEXT
    ),
    'null'
  ) || ', "existing" : ' || coalesce(
    (
      SELECT coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"id" : ' || coalesce(CAST(existing_2.id AS TEXT), 'null') || ', "email" : ' || coalesce(
              CAST(pg_catalog.to_json(existing_2.email) AS TEXT), 'null'
            ) || '}'
          ), ', '
          ORDER BY existing_2.position
        ) || ']',
        '[]'
      ) AS json_2
      FROM existing_2
    ),
    'null'
  ) || ', "records" : ' || coalesce(
    CAST(
      pg_catalog.to_json(CAST(pg_catalog.current_setting('portico.k2') AS json) -> 'records') AS TEXT
    ),
    'null'
  ) || '}'
) AS json_1;
-- ["{\"2\",\"9\",\"1\"}"]
