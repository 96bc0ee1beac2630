WITH affected_1 AS (
  INSERT INTO public.author (id, name)
  VALUES (CAST($1 AS integer), CAST($2 AS text))
  RETURNING public.author.name AS name
)
SELECT (
  SELECT (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"name" : ' || coalesce(CAST(pg_catalog.to_json(affected_1.name) AS TEXT), 'null') || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["2", "Bob"]

WITH affected_1 AS (
  INSERT INTO public.book (author_id, title)
  VALUES (CAST($1 AS integer), CAST($2 AS character varying))
  RETURNING public.book.author_id AS author_id
)
SELECT (
  SELECT (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"author" : ' || coalesce(
            (
              SELECT (
                '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_2.name) AS TEXT), 'null') || '}'
              )
              FROM public.author AS author_2
              WHERE author_2.id = affected_1.author_id
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
-- ["2", "Bob's"]

-- afterwards:
-- [1, "First"]
-- [2, "Bob's"]
