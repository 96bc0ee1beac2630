WITH affected_1 AS (
  INSERT INTO public.author (tenant_id, id, name)
  VALUES (CAST($1 AS integer), CAST($2 AS integer), CAST($3 AS text))
  RETURNING public.author.tenant_id AS tenant_id,
    public.author.id AS id
)
SELECT pg_catalog.num_nulls(
  "graphql".set_local(
    CAST(ARRAY['portico.k2', 'portico.k1'] AS text[]),
    CAST(ARRAY[texts_8.text_0, texts_8.text_1] AS text[])
  )
) AS num_nulls_1
FROM (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) != pg_catalog.cardinality(CAST($4 AS integer[]))) THEN CAST(
    CAST(
      'portico: A new row of Author was left out, and others are to belong to it; ' || CAST(
        pg_catalog.count(*) AS TEXT
      ) AS integer
    ) AS TEXT
  )
  ELSE ('{}')
  END AS text_0,
    CAST(
      CAST(
        coalesce(
          pg_catalog.json_agg(
            pg_catalog.json_build_array(
              CAST(affected_1.tenant_id AS TEXT), CAST(affected_1.id AS TEXT)
            )
          ),
          '[]'
        ) AS TEXT
      ) AS TEXT
    ) AS text_1
  FROM affected_1
  HAVING true
  LIMIT ALL
  OFFSET 0
) AS texts_8,
  (SELECT 1 FROM pg_catalog.pg_am LIMIT 1) AS here_9;
-- ["1", "9", "N", "{1}"]

WITH book_14 AS (
  UPDATE public.book AS book_10
  SET author_id=CAST(keys_12.key ->> 1 AS integer)
  FROM (
    VALUES (CAST($2 AS integer), CAST($3 AS integer), CAST($4 AS integer), CAST($5 AS integer))
  ) AS keys_11 (position, owner, key_0, key_1),
    pg_catalog.jsonb_array_elements(CAST(pg_catalog.current_setting('portico.k1') AS jsonb))
  WITH ORDINALITY AS keys_12(key, number),
    pg_catalog.unnest(CAST($6 AS integer[]))
  WITH ORDINALITY AS places_13(position, number)
  WHERE (book_10.tenant_id = keys_11.key_0)
  AND (book_10.id = keys_11.key_1)
  AND (book_10.tenant_id = CAST(keys_12.key ->> 0 AS integer))
  AND (keys_12.number = places_13.number)
  AND (places_13.position = keys_11.owner)
  AND (book_10.tenant_id = CAST($7 AS integer))
  RETURNING 1 AS one
)
SELECT
CASE
WHEN (pg_catalog.count(*) != pg_catalog.cardinality(CAST($1 AS integer[]))) THEN CAST(
  CAST(
    'portico: Not every row of Book that is to be connected was found; ' || CAST(
      pg_catalog.count(*) AS TEXT
    ) AS integer
  ) AS TEXT
)
ELSE coalesce(CAST(pg_catalog.to_json(pg_catalog.count(*)) AS TEXT), 'null')
END AS anon_1
FROM book_14;
-- ["{1}", "1", "1", "1", "3", "{1}", "1"]

SELECT (
  '{"records" : ' || coalesce(
    (
      SELECT coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"name" : ' || coalesce(CAST(pg_catalog.to_json(author_2.name) AS TEXT), 'null') || ', "bookCollection" : ' || coalesce(
              (
                SELECT (
                  '{"edges" : ' || coalesce(
                    '[' || pg_catalog.string_agg(
                      ('{"node" : ' || coalesce(page_4.node, 'null') || '}'), ', '
                    ) || ']',
                    '[]'
                  ) || '}'
                )
                FROM (
                  SELECT (
                    '{"title" : ' || coalesce(
                      CAST(pg_catalog.to_json(book_3.title) AS TEXT), 'null'
                    ) || '}'
                  ) AS node
                  FROM public.book AS book_3
                  WHERE (
                    (book_3.tenant_id = author_2.tenant_id)
                    AND (book_3.tenant_id = CAST($1 AS integer))
                  )
                  AND (book_3.author_id = author_2.id)
                  ORDER BY book_3.tenant_id ASC,
                    book_3.id ASC
                  LIMIT 30
                ) AS page_4
              ),
              'null'
            ) || '}'
          ), ', '
          ORDER BY found_7.position
        ) || ']',
        '[]'
      ) AS json_2
      FROM public.author AS author_2,
        (
          SELECT places_6.position AS position,
            CAST(keys_5.key ->> 0 AS integer) AS key_0,
            CAST(keys_5.key ->> 1 AS integer) AS key_1
          FROM pg_catalog.jsonb_array_elements(
            CAST(pg_catalog.current_setting('portico.k1') AS jsonb)
          )
          WITH ORDINALITY AS keys_5(key, number),
            pg_catalog.unnest(CAST($2 AS integer[]))
          WITH ORDINALITY AS places_6(position, number)
          WHERE keys_5.number = places_6.number
          LIMIT ALL
          OFFSET 0
        ) AS found_7
      WHERE (author_2.tenant_id = CAST($1 AS integer))
      AND (author_2.tenant_id = found_7.key_0)
      AND (author_2.id = found_7.key_1)
    ),
    'null'
  ) || '}'
) AS json_1;
-- ["1", "{1}"]
