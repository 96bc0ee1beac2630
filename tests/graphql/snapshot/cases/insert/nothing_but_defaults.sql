WITH affected_1 AS (
  INSERT INTO public.book (author_id)
  VALUES (DEFAULT),
    (DEFAULT)
  RETURNING public.book.title AS title,
    public.book.pages AS pages,
    public.book.author_id AS author_id
)
SELECT (
  SELECT (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"title" : ' || coalesce(CAST(pg_catalog.to_json(affected_1.title) AS TEXT), 'null') || ', "pages" : ' || coalesce(
            CAST(affected_1.pages AS TEXT), 'null'
          ) || ', "authorId" : ' || coalesce(CAST(affected_1.author_id AS TEXT), 'null') || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- []

-- afterwards:
-- ["First", 100, 1]
-- ["untitled", 100, null]
-- ["untitled", 100, null]
