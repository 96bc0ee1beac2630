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
SELECT count(*) AS count_1
FROM account_2;
-- ["{1}", "{\"9\"}", "{\"a@x\"}"]

SELECT
CASE
WHEN (count(*) != cardinality(CAST($1 AS integer[]))) THEN to_json(
  CAST(
    'portico: Not every row of Account that is to be connected was found; ' || CAST(
      count(*) AS TEXT
    ) AS integer
  )
)
ELSE to_json(
  octet_length(
    set_config(
      'portico.k1', CAST(
        coalesce(
          json_agg(json_build_array(CAST(account_5.id AS TEXT)) ORDER BY proposed_4.position), '[]'
        ) AS TEXT
      ),
      true
    )
  )
)
END AS anon_1
FROM public.account AS account_5,
  (
    SELECT objects_3.position AS position,
      objects_3.value_1 AS value_0
    FROM unnest(CAST($1 AS integer[]), CAST($2 AS integer[]), CAST($3 AS text[])) AS objects_3(
      position, value_0, value_1
    )
  ) AS proposed_4
WHERE account_5.email = CAST(proposed_4.value_0 AS text);
-- ["{1}", "{\"9\"}", "{\"a@x\"}"]

SELECT
CASE
WHEN (count(*) != cardinality(CAST($1 AS integer[]))) THEN to_json(
  CAST(
    'portico: Not every row of Account that is to be connected was found; ' || CAST(
      count(*) AS TEXT
    ) AS integer
  )
)
ELSE to_json(
  octet_length(
    set_config(
      'portico.k2', CAST(
        coalesce(
          json_agg(json_build_array(CAST(account_6.id AS TEXT)) ORDER BY given_7.position), '[]'
        ) AS TEXT
      ),
      true
    )
  )
)
END AS anon_1
FROM public.account AS account_6,
  unnest(CAST($1 AS integer[]), CAST($2 AS text[])) AS given_7(position, key_0)
WHERE account_6.id = CAST(given_7.key_0 AS integer);
-- ["{2}", "{\"1\"}"]

WITH affected_8 AS (
  INSERT INTO public.post (title, account_id)
  SELECT objects_13.value_0 AS value_0,
    CAST(keys_14.key ->> 0 AS integer) AS anon_1
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS text[])) AS objects_13(position, value_0),
    jsonb_array_elements(
      CAST(current_setting('portico.k1') AS jsonb) || CAST(current_setting('portico.k2') AS jsonb)
    )
  WITH ORDINALITY AS keys_14(key, number),
    unnest(array_cat(CAST($3 AS integer[]), CAST($4 AS integer[])))
  WITH ORDINALITY AS places_15(position, number)
  WHERE (keys_14.number = places_15.number)
  AND (places_15.position = objects_13.position)
  ORDER BY objects_13.position
  RETURNING public.post.id AS id
)
SELECT octet_length(set_config('portico.k4', CAST(json_build_object() AS TEXT), true)) AS octet_length_1,
  octet_length(
    set_config(
      'portico.k3', CAST(
        coalesce(json_agg(json_build_array(CAST(affected_8.id AS TEXT))), '[]') AS TEXT
      ),
      true
    )
  ) AS octet_length_2
FROM affected_8
HAVING true;
-- ["{1,2}", "{\"x\",\"y\"}", "{1}", "{2}"]

SELECT CAST(
  json_build_object(
    'records', (
      SELECT coalesce(
        json_agg(
          json_build_object(
            'id', post_9.id,
            'account', (
              SELECT json_build_object('id', account_10.id, 'email', account_10.email) AS json_build_object_1
              FROM public.account AS account_10
              WHERE account_10.id = post_9.account_id
            )
          )
          ORDER BY places_12.position
        ),
        '[]'
      ) AS coalesce_1
      FROM public.post AS post_9,
        jsonb_array_elements(CAST(current_setting('portico.k3') AS jsonb))
      WITH ORDINALITY AS keys_11(key, number),
        unnest(CAST($1 AS integer[]))
      WITH ORDINALITY AS places_12(position, number)
      WHERE (keys_11.number = places_12.number)
      AND (post_9.id = CAST(keys_11.key ->> 0 AS integer))
    )
  ) AS TEXT
) AS anon_1;
-- ["{1,2}"]
