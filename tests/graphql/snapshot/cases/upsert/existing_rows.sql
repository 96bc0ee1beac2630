WITH affected_1 AS (
  INSERT INTO public.account (id, email)
  SELECT objects_8.id AS id,
    objects_8.email AS email
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS text[])) AS objects_8(id, email) ON CONFLICT ON CONSTRAINT account_pkey DO NOTHING
  RETURNING public.account.id AS id
)
SELECT octet_length(
  set_config(
    'portico.k2', CAST(
      json_build_object(
        'affectedCount', count(*),
        'records', coalesce(json_agg(json_build_object('id', affected_1.id)), '[]')
      ) AS TEXT
    ),
    true
  )
) AS octet_length_1,
  octet_length(
    set_config(
      'portico.k1', CAST(
        coalesce(json_agg(json_build_array(CAST(affected_1.id AS TEXT))), '[]') AS TEXT
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
      FROM unnest(CAST($1 AS integer[]))
      WITH ORDINALITY AS objects_4(id, position)
      LIMIT ALL
      OFFSET 0
    ) AS objects_5
  ) AS proposed_6
  JOIN public.account AS account_3 ON account_3.id = proposed_6.value_0
  WHERE NOT (
    EXISTS (
      SELECT 1
      FROM json_array_elements(CAST(current_setting('portico.k1') AS json)) AS returned_7(key)
      WHERE account_3.id = CAST(returned_7.key ->> 0 AS integer)
    )
  )
  ORDER BY account_3.id,
    proposed_6.position
)
SELECT CAST(
  json_build_object(
    'affectedCount', CAST(current_setting('portico.k2') AS json) -> 'affectedCount',
    'existing', (
      SELECT coalesce(
        json_agg(
          json_build_object('id', existing_2.id, 'email', existing_2.email)
          ORDER BY existing_2.position
        ),
        '[]'
      ) AS coalesce_1
      FROM existing_2
    ),
    'records', CAST(current_setting('portico.k2') AS json) -> 'records'
  ) AS TEXT
) AS anon_1;
-- ["{\"2\",\"9\",\"1\"}"]
