WITH account_2 AS (
  INSERT INTO public.account (id, email)
  SELECT objects_1.value_0 AS value_0,
    objects_1.value_1 AS value_1
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS integer[]), CAST($3 AS text[])) AS objects_1(
    position, value_0, value_1
  )
  ORDER BY objects_1.position ON CONFLICT ON CONSTRAINT account_email_key DO NOTHING
  RETURNING 1 AS one
)
SELECT pg_catalog.count(*) AS count_1
FROM account_2;
-- ["{1}", "{\"9\"}", "{\"a@x\"}"]

SELECT
CASE
WHEN (pg_catalog.count(*) != pg_catalog.cardinality(CAST($1 AS integer[]))) THEN CAST(
  CAST(
    'portico: Not every row of Account that is to be connected was found; ' || CAST(
      pg_catalog.count(*) AS TEXT
    ) AS integer
  ) AS TEXT
)
ELSE coalesce(
  CAST(
    pg_catalog.to_json(
      pg_catalog.octet_length(
        pg_catalog.set_config(
          'portico.k1', CAST(
            coalesce(
              pg_catalog.json_agg(
                pg_catalog.json_build_array(CAST(account_5.id AS TEXT)) ORDER BY proposed_4.position
              ),
              '[]'
            ) AS TEXT
          ),
          true
        )
      )
    ) AS TEXT
  ),
  'null'
)
END AS anon_1
FROM public.account AS account_5,
  (
    SELECT objects_3.position AS position,
      CAST(objects_3.value_1 AS text) AS value_0
    FROM unnest(CAST($1 AS integer[]), CAST($2 AS integer[]), CAST($3 AS text[])) AS objects_3(
      position, value_0, value_1
    )
    LIMIT ALL
    OFFSET 0
  ) AS proposed_4
WHERE account_5.email = proposed_4.value_0;
-- ["{1}", "{\"9\"}", "{\"a@x\"}"]

SELECT
CASE
WHEN (pg_catalog.count(*) != pg_catalog.cardinality(CAST($1 AS integer[]))) THEN CAST(
  CAST(
    'portico: Not every row of Account that is to be connected was found; ' || CAST(
      pg_catalog.count(*) AS TEXT
    ) AS integer
  ) AS TEXT
)
ELSE coalesce(
  CAST(
    pg_catalog.to_json(
      pg_catalog.octet_length(
        pg_catalog.set_config(
          'portico.k2', CAST(
            coalesce(
              pg_catalog.json_agg(
                pg_catalog.json_build_array(CAST(account_6.id AS TEXT)) ORDER BY given_8.position
              ),
              '[]'
            ) AS TEXT
          ),
          true
        )
      )
    ) AS TEXT
  ),
  'null'
)
END AS anon_1
FROM public.account AS account_6,
  (
    SELECT keys_7.position AS position,
      CAST(keys_7.key_0 AS integer) AS key_0
    FROM unnest(CAST($1 AS integer[]), CAST($2 AS text[])) AS keys_7(position, key_0)
    LIMIT ALL
    OFFSET 0
  ) AS given_8
WHERE account_6.id = given_8.key_0;
-- ["{2}", "{\"1\"}"]

WITH affected_9 AS (
  INSERT INTO public.post (title, account_id)
  SELECT objects_15.value_0 AS value_0,
    CAST(keys_16.key ->> 0 AS integer) AS anon_1
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS text[])) AS objects_15(position, value_0),
    pg_catalog.jsonb_array_elements(
      CAST(pg_catalog.current_setting('portico.k1') AS jsonb) || CAST(
        pg_catalog.current_setting('portico.k2') AS jsonb
      )
    )
  WITH ORDINALITY AS keys_16(key, number),
    pg_catalog.unnest(CAST($3 AS integer[]))
  WITH ORDINALITY AS places_17(position, number)
  WHERE (keys_16.number = places_17.number)
  AND (places_17.position = objects_15.position)
  ORDER BY objects_15.position
  RETURNING public.post.id AS id
)
SELECT pg_catalog.octet_length(pg_catalog.set_config('portico.k4', ('{}'), true)) AS octet_length_1,
  pg_catalog.octet_length(
    pg_catalog.set_config(
      'portico.k3', CAST(
        coalesce(
          pg_catalog.json_agg(pg_catalog.json_build_array(CAST(affected_9.id AS TEXT))), '[]'
        ) AS TEXT
      ),
      true
    )
  ) AS octet_length_2
FROM affected_9
HAVING true;
-- ["{1,2}", "{\"x\",\"y\"}", "{1,2}"]

SELECT (
  '{"records" : ' || coalesce(
    (
      SELECT coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"id" : ' || coalesce(CAST(post_10.id AS TEXT), 'null') || ', "account" : ' || coalesce(
              (
                SELECT (
                  '{"id" : ' || coalesce(CAST(account_11.id AS TEXT), 'null') || ', "email" : ' || coalesce(
                    CAST(pg_catalog.to_json(account_11.email) AS TEXT), 'null'
                  ) || '}'
                )
                FROM public.account AS account_11
                WHERE account_11.id = post_10.account_id
              ),
              'null'
            ) || '}'
          ), ', '
          ORDER BY found_14.position
        ) || ']',
        '[]'
      ) AS json_2
      FROM public.post AS post_10,
        (
          SELECT places_13.position AS position,
            CAST(keys_12.key ->> 0 AS integer) AS key_0
          FROM pg_catalog.jsonb_array_elements(
            CAST(pg_catalog.current_setting('portico.k3') AS jsonb)
          )
          WITH ORDINALITY AS keys_12(key, number),
            pg_catalog.unnest(CAST($1 AS integer[]))
          WITH ORDINALITY AS places_13(position, number)
          WHERE keys_12.number = places_13.number
          LIMIT ALL
          OFFSET 0
        ) AS found_14
      WHERE post_10.id = found_14.key_0
    ),
    'null'
  ) || '}'
) AS json_1;
-- ["{1,2}"]
