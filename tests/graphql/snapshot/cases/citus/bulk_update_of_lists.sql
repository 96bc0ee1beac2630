WITH updates_2 AS (
  SELECT CAST(given_1.key_0 AS integer) AS key_0,
    CAST(given_1.key_1 AS date) AS key_1,
    CAST(given_1.key_2 AS integer) AS key_2,
    CAST(given_1.value_0 AS text[]) AS value_0,
    given_1.has_0 AS has_0,
    given_1.value_1 AS value_1,
    given_1.has_1 AS has_1,
    given_1.position AS position
  FROM unnest(
    CAST($2 AS text[]),
    CAST($3 AS text[]),
    CAST($4 AS text[]),
    CAST($5 AS text[]),
    CAST($6 AS boolean[]),
    CAST($7 AS integer[]),
    CAST($8 AS boolean[])
  )
  WITH ORDINALITY AS given_1(key_0, key_1, key_2, value_0, has_0, value_1, has_1, position)
),
  affected_4 AS (
    UPDATE public.visit AS visit_3
    SET tenant_id=CAST($1 AS integer),
      tags=
    CASE
    WHEN updates_2.has_0 THEN updates_2.value_0
    ELSE visit_3.tags
    END
    FROM updates_2
    WHERE (visit_3.tenant_id = CAST($1 AS integer))
    AND (visit_3.tenant_id = updates_2.key_0)
    AND (visit_3.day = updates_2.key_1)
    AND (visit_3.id = updates_2.key_2)
    RETURNING visit_3.id AS id,
      visit_3.tags AS tags,
      updates_2.position AS position
  )
SELECT (
  SELECT
  CASE
  WHEN (
    EXISTS (
      SELECT 1
      FROM updates_2
      JOIN public.visit AS visit_5 ON (visit_5.tenant_id = updates_2.key_0)
      AND (visit_5.day = updates_2.key_1)
      AND (visit_5.id = updates_2.key_2)
      WHERE visit_5.tenant_id = CAST($1 AS integer)
      GROUP BY visit_5.tenant_id,
        visit_5.day,
        visit_5.id
      HAVING pg_catalog.count(*) > 1
    )
  ) THEN CAST(
    CAST('portico: updates names a row twice; ' || CAST(pg_catalog.count(*) AS TEXT) AS integer) AS TEXT
  )
  ELSE (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_4.id AS TEXT), 'null') || ', "tags" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(affected_4.tags), 1) = 1) THEN affected_4.tags
                END
              ) AS TEXT
            ),
            'null'
          ) || '}'
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
-- ["1", "{\"1\",\"1\"}", "{\"2020-03-04\",\"2020-01-02\"}", "{\"2\",\"1\"}", "{\"{\\\"x\\\"}\",NULL}", "{t,f}", "{NULL,\"1\"}", "{f,t}"]
