WITH affected_1 AS (
  INSERT INTO public.book (title, pages)
  VALUES (CAST($1 AS character varying), CAST(NULL AS integer)),
    (DEFAULT, DEFAULT),
    (DEFAULT, DEFAULT),
    (CAST($2 AS character varying), CAST($3 AS integer))
  RETURNING public.book.title AS title,
    public.book.pages AS pages
)
SELECT (
  SELECT (
    '{"affectedCount" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null'
    ) || ', "records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"title" : ' || coalesce(CAST(pg_catalog.to_json(affected_1.title) AS TEXT), 'null') || ', "pages" : ' || coalesce(
            CAST(affected_1.pages AS TEXT), 'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["Given", "Last", "7"]

-- afterwards:
-- ["First", 100]
-- ["Given", null]
-- ["untitled", 100]
-- ["untitled", 100]
-- ["Last", 7]
