WITH affected_1 AS (
  UPDATE public.book AS book_2
  SET tenant_id=CAST($1 AS integer),
    stock=CAST($2 AS integer)
  WHERE (book_2.tenant_id = CAST($1 AS integer))
  AND (book_2.id = CAST($3 AS integer))
  RETURNING book_2.id AS id,
    book_2.stock AS stock
)
SELECT (
  SELECT (
    '{"id" : ' || coalesce(CAST(affected_1.id AS TEXT), 'null') || ', "stock" : ' || coalesce(
      CAST(affected_1.stock AS TEXT), 'null'
    ) || '}'
  ) AS json_1
  FROM affected_1
) AS anon_1;
-- ["1", "5", "1"]
