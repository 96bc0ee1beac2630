WITH affected_1 AS (
  INSERT INTO public.book (title, pages)
  VALUES (CAST($1 AS character varying), CAST(NULL AS integer)),
    (DEFAULT, DEFAULT),
    (DEFAULT, DEFAULT),
    (CAST($2 AS character varying), CAST($3 AS integer))
  RETURNING public.book.title AS title,
    public.book.pages AS pages
)
SELECT CAST(
  (
    SELECT json_build_object(
      'affectedCount', count(*),
      'records', coalesce(
        json_agg(json_build_object('title', affected_1.title, 'pages', affected_1.pages)), '[]'
      )
    ) AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["Given", "Last", "7"]

-- afterwards:
-- ["First", 100]
-- ["Given", null]
-- ["untitled", 100]
-- ["untitled", 100]
-- ["Last", 7]
