WITH affected_1 AS (
  UPDATE public.book AS book_3
  SET title=CAST($1 AS text)
  WHERE (book_3.tenant_id = CAST($2 AS integer))
  AND (book_3.id = CAST($3 AS integer))
  RETURNING book_3.title AS title,
    book_3.tenant_id AS tenant_id,
    book_3.author_id AS author_id
)
SELECT (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) > CAST('1' AS bigint)) THEN CAST(
    CAST(
      'portico: update impacts too many records | Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".; ' || CAST(
        pg_catalog.count(*) AS TEXT
      ) AS integer
    ) AS TEXT
  )
  ELSE (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"title" : ' || coalesce(CAST(pg_catalog.to_json(affected_1.title) AS TEXT), 'null') || ', "author" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_2.name) AS TEXT), 'null') || '}'
              )
              FROM public.author AS author_2
              WHERE (
                (author_2.tenant_id = affected_1.tenant_id)
                AND (author_2.tenant_id = CAST($2 AS integer))
              )
              AND (author_2.id = affected_1.author_id)
            ),
            'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["E", "1", "3"]
