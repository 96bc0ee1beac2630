WITH affected_1 AS (
  INSERT INTO public.post (account_id, title)
  SELECT objects_2.value_0 AS value_0,
    objects_2.value_1 AS value_1
  FROM unnest(CAST($1 AS integer[]), CAST($2 AS integer[]), CAST($3 AS text[])) AS objects_2(
    position, value_0, value_1
  )
  ORDER BY objects_2.position
  RETURNING public.post.id AS id
)
SELECT pg_catalog.octet_length(
  pg_catalog.set_config(
    'portico.k2',
    CASE
    WHEN (pg_catalog.count(*) != pg_catalog.cardinality(CAST($1 AS integer[]))) THEN CAST(
      CAST(
        'portico: A new row of Post was left out, and others are to belong to it; ' || CAST(
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
-- ["{1}", "{\"1\"}", "{\"x\"}"]

WITH comment_8 AS (
  UPDATE public.comment AS comment_3
  SET post_id=CAST(keys_6.key ->> 0 AS integer)
  FROM (
    SELECT keys_4.position AS position,
      keys_4.owner AS owner,
      CAST(keys_4.key_0 AS integer) AS key_0
    FROM unnest(CAST($1 AS integer[]), CAST($2 AS integer[]), CAST($3 AS text[])) AS keys_4(
      position, owner, key_0
    )
    LIMIT ALL
    OFFSET 0
  ) AS given_5,
    pg_catalog.jsonb_array_elements(CAST(pg_catalog.current_setting('portico.k1') AS jsonb))
  WITH ORDINALITY AS keys_6(key, number),
    pg_catalog.unnest(CAST($4 AS integer[]))
  WITH ORDINALITY AS places_7(position, number)
  WHERE (comment_3.id = given_5.key_0)
  AND (keys_6.number = places_7.number)
  AND (places_7.position = given_5.owner)
  RETURNING 1 AS one
)
SELECT
CASE
WHEN (pg_catalog.count(*) != pg_catalog.cardinality(CAST($1 AS integer[]))) THEN CAST(
  CAST(
    'portico: Not every row of Comment that is to be connected was found; ' || CAST(
      pg_catalog.count(*) AS TEXT
    ) AS integer
  ) AS TEXT
)
ELSE coalesce(CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null')
END AS anon_1
FROM comment_8;
-- ["{1}", "{1}", "{\"1\"}", "{1}"]

SELECT (
  '{"affectedCount" : ' || coalesce(
    CAST(
      pg_catalog.to_json(CAST(pg_catalog.current_setting('portico.k2') AS json) -> 'affectedCount') AS TEXT
    ),
    'null'
  ) || '}'
) AS json_1;
-- []
