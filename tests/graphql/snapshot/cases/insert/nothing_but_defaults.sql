WITH affected_1 AS (
  INSERT INTO public.book (author_id)
  VALUES (DEFAULT),
    (DEFAULT)
  RETURNING public.book.title AS title,
    public.book.pages AS pages,
    public.book.author_id AS author_id
)
SELECT CAST(
  (
    SELECT json_build_object(
      'records', coalesce(
        json_agg(
          json_build_object(
            'title', affected_1.title, 'pages', affected_1.pages, 'authorId', affected_1.author_id
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- []

-- afterwards:
-- ["First", 100, 1]
-- ["untitled", 100, null]
-- ["untitled", 100, null]
