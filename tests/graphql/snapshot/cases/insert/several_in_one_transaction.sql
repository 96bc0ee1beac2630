WITH affected_1 AS (
  INSERT INTO public.author (id, name)
  VALUES (CAST($1 AS integer), CAST($2 AS text))
  RETURNING public.author.name AS name
)
SELECT CAST(
  (
    SELECT json_build_object(
      'records', coalesce(json_agg(json_build_object('name', affected_1.name)), '[]')
    ) AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["2", "Bob"]

WITH affected_1 AS (
  INSERT INTO public.book (author_id, title)
  VALUES (CAST($1 AS integer), CAST($2 AS character varying))
  RETURNING public.book.author_id AS author_id
)
SELECT CAST(
  (
    SELECT json_build_object(
      'records', coalesce(
        json_agg(
          json_build_object(
            'author', (
              SELECT json_build_object('name', author_2.name) AS json_build_object_2
              FROM public.author AS author_2
              WHERE author_2.id = affected_1.author_id
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["2", "Bob's"]

-- afterwards:
-- [1, "First"]
-- [2, "Bob's"]
