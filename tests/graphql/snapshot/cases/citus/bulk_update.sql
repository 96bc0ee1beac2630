WITH updates_2 AS (
  SELECT CAST(given_1.key_0 AS integer) AS key_0,
    CAST(given_1.key_1 AS integer) AS key_1,
    given_1.value_0 AS value_0,
    given_1.position AS position
  FROM unnest(CAST($1 AS text[]), CAST($2 AS text[]), CAST($3 AS integer[]))
  WITH ORDINALITY AS given_1(key_0, key_1, value_0, position)
),
  affected_4 AS (
    UPDATE public.book AS book_3
    SET stock=updates_2.value_0
    FROM updates_2
    WHERE (book_3.tenant_id = CAST($4 AS integer))
    AND (book_3.tenant_id = updates_2.key_0)
    AND (book_3.id = updates_2.key_1)
    RETURNING book_3.id AS id,
      book_3.stock AS stock,
      book_3.tenant_id AS tenant_id,
      book_3.author_id AS author_id,
      updates_2.position AS position
  )
SELECT (
  SELECT
  CASE
  WHEN (
    EXISTS (
      SELECT 1
      FROM updates_2
      JOIN public.book AS book_5 ON (book_5.tenant_id = updates_2.key_0)
      AND (book_5.id = updates_2.key_1)
      WHERE book_5.tenant_id = CAST($4 AS integer)
      GROUP BY book_5.tenant_id,
        book_5.id
      HAVING pg_catalog.count(*) > 1
    )
  ) THEN CAST(
    CAST('portico: updates names a row twice; ' || CAST(pg_catalog.count(*) AS TEXT) AS integer) AS TEXT
  )
  ELSE (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_4.id AS TEXT), 'null') || ', "stock" : ' || coalesce(
            CAST(affected_4.stock AS TEXT), 'null'
          ) || ', "author" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_6.name) AS TEXT), 'null') || '}'
              )
              FROM public.author AS author_6
              WHERE (
                (author_6.tenant_id = affected_4.tenant_id)
                AND (author_6.tenant_id = CAST($4 AS integer))
              )
              AND (author_6.id = affected_4.author_id)
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
-- ["{\"1\",\"1\"}", "{\"2\",\"1\"}", "{\"2\",\"1\"}", "1"]
