WITH affected_1 AS (
  INSERT INTO public.account (id, email)
  SELECT objects_8.value_0 AS value_0,
    objects_8.value_1 AS value_1
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS integer[]), CAST($3 AS text[])) AS objects_8(
    position, value_0, value_1
  )
  ORDER BY objects_8.position
  RETURNING public.account.id AS id
)
SELECT pg_catalog.octet_length(
  pg_catalog.set_config(
    'portico.k2',
    CASE
    WHEN (pg_catalog.count(*) != pg_catalog.cardinality(CAST($1 AS integer[]))) THEN CAST(
      CAST(
        'portico: A new row of Account was left out, and others are to belong to it; ' || CAST(
          pg_catalog.count(*) AS TEXT
        ) AS integer
      ) AS TEXT
    )
    ELSE (
      '{"affectedCount" : ' || coalesce(
        CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
      ) || '}'
    )
    END,
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
-- ["{1,2}", "{\"2\",\"3\"}", "{\"b@x\",\"c@x\"}"]

WITH post_12 AS (
  INSERT INTO public.post (title, account_id)
  SELECT objects_9.value_0 AS value_0,
    CAST(keys_10.key ->> 0 AS integer) AS anon_1
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS integer[]), CAST($3 AS text[])) AS objects_9(
    position, owner, value_0
  ),
    pg_catalog.jsonb_array_elements(CAST(pg_catalog.current_setting('portico.k1') AS jsonb))
  WITH ORDINALITY AS keys_10(key, number),
    pg_catalog.unnest(CAST($4 AS integer[]))
  WITH ORDINALITY AS places_11(position, number)
  WHERE (keys_10.number = places_11.number)
  AND (places_11.position = objects_9.owner)
  ORDER BY objects_9.position
  RETURNING 1 AS one
)
SELECT pg_catalog.count(*) AS count_1
FROM post_12;
-- ["{1,2}", "{1,1}", "{\"p\",\"q\"}", "{1,2}"]

SELECT (
  '{"affectedCount" : ' || coalesce(
    CAST(
      pg_catalog.to_json(CAST(pg_catalog.current_setting('portico.k2') AS json) -> 'affectedCount') AS TEXT
    ),
    'null'
  ) || ', "records" : ' || coalesce(
    (
      SELECT coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"id" : ' || coalesce(CAST(account_2.id AS TEXT), 'null') || ', "postCollection" : ' || coalesce(
              (
                WITH page_3 AS (
                  SELECT post_4.id AS id,
                    post_4.title AS title
                  FROM public.post AS post_4
                  WHERE post_4.account_id = account_2.id
                  ORDER BY post_4.id ASC
                  LIMIT 30
                )
                SELECT (
                  '{"edges" : ' || coalesce(
                    '[' || pg_catalog.string_agg(
                      (
                        '{"node" : {"id" : ' || coalesce(CAST(page_3.id AS TEXT), 'null') || ', "title" : ' || coalesce(
                          CAST(pg_catalog.to_json(page_3.title) AS TEXT), 'null'
                        ) || '}}'
                      ), ', '
                    ) || ']',
                    '[]'
                  ) || '}'
                )
                FROM page_3
              ),
              'null'
            ) || '}'
          ), ', '
          ORDER BY found_7.position
        ) || ']',
        '[]'
      ) AS json_2
      FROM public.account AS account_2,
        (
          SELECT places_6.position AS position,
            CAST(keys_5.key ->> 0 AS integer) AS key_0
          FROM pg_catalog.jsonb_array_elements(
            CAST(pg_catalog.current_setting('portico.k1') AS jsonb)
          )
          WITH ORDINALITY AS keys_5(key, number),
            pg_catalog.unnest(CAST($1 AS integer[]))
          WITH ORDINALITY AS places_6(position, number)
          WHERE keys_5.number = places_6.number
          LIMIT ALL
          OFFSET 0
        ) AS found_7
      WHERE account_2.id = found_7.key_0
    ),
    'null'
  ) || '}'
) AS json_1;
-- ["{1,2}"]

-- afterwards:
-- [1, 1, "one", "5"]
-- [100, 2, "p", "1"]
-- [101, 2, "q", "1"]
