WITH affected_1 AS (
  INSERT INTO public.book (tenant_id, id, title)
  VALUES (CAST($1 AS integer), CAST($1 AS integer), CAST($2 AS text)) ON CONFLICT ON CONSTRAINT book_pkey DO
  UPDATE
  SET title = excluded.title
  RETURNING public.book.id AS id,
    public.book.title AS title
)
SELECT (
  SELECT (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "title" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_1.title) AS TEXT), 'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["1", "X"]
