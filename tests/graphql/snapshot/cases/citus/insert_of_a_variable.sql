WITH affected_1 AS (
  INSERT INTO public.book (tenant_id, id, author_id, title)
  VALUES (CAST($1 AS integer), CAST($2 AS integer), CAST($3 AS integer), CAST($4 AS text)),
    (CAST($5 AS integer), CAST($6 AS integer), CAST($7 AS integer), CAST($8 AS text))
  RETURNING public.book.id AS id,
    public.book.title AS title,
    public.book.tenant_id AS tenant_id,
    public.book.author_id AS author_id
)
SELECT (
  SELECT (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "title" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_1.title) AS TEXT), 'null'
          ) || ', "author" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_2.name) AS TEXT), 'null') || '}'
              )
              FROM public.author AS author_2
              WHERE (
                (author_2.tenant_id = affected_1.tenant_id)
                AND (author_2.tenant_id = CAST($9 AS integer))
              )
              AND (author_2.id = affected_1.author_id)
            ),
            'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["1", "8", null, "H", "1", "7", "2", null, "1"]
