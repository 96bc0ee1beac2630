WITH updates_2 AS (
  SELECT CAST(given_1.key_0 AS integer) AS key_0,
    given_1.value_0 AS value_0,
    given_1.has_0 AS has_0,
    given_1.value_1 AS value_1,
    given_1.has_1 AS has_1,
    given_1.position AS position
  FROM unnest(
    CAST($1 AS text[]),
    CAST($2 AS integer[]),
    CAST($3 AS boolean[]),
    CAST($4 AS text[]),
    CAST($5 AS boolean[])
  )
  WITH ORDINALITY AS given_1(key_0, value_0, has_0, value_1, has_1, position)
),
  affected_4 AS (
    UPDATE public.account AS account_3
    SET name=
    CASE
    WHEN updates_2.has_1 THEN updates_2.value_1
    ELSE account_3.name
    END,
      hits=
    CASE
    WHEN updates_2.has_0 THEN updates_2.value_0
    ELSE account_3.hits
    END
    FROM updates_2
    WHERE account_3.id = updates_2.key_0
    RETURNING account_3.id AS id,
      account_3.name AS name,
      account_3.hits AS hits,
      updates_2.position AS position
  )
SELECT (
  SELECT
  CASE
  WHEN (
    EXISTS (
      SELECT 1
      FROM updates_2
      JOIN public.account AS account_5 ON account_5.id = updates_2.key_0
      GROUP BY account_5.id
      HAVING pg_catalog.count(*) > 1
    )
  ) THEN CAST(
    CAST('portico: updates names a row twice; ' || CAST(pg_catalog.count(*) AS TEXT) AS integer) AS TEXT
  )
  ELSE (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || ', "records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_4.id AS TEXT), 'null') || ', "name" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_4.name) AS TEXT), 'null'
          ) || ', "hits" : ' || coalesce(CAST(affected_4.hits AS TEXT), 'null') || '}'
        ), ', '
        ORDER BY affected_4.position
      ) || ']',
      '[]'
    ) || '}'
  )
  END AS anon_2
  FROM affected_4
  HAVING true
) AS anon_1;
-- ["{\"2\",\"1\"}", "{NULL,\"7\"}", "{f,t}", "{\"Bea\",NULL}", "{t,f}"]

-- afterwards:
-- [1, "a@x", "Ann", 7, ["a"], {"a": 1}]
-- [2, "b@x", "Bea", 0, null, null]
