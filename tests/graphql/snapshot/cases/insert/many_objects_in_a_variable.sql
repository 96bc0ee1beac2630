WITH affected_1 AS (
  INSERT INTO public.book (title, pages, mood, tags)
  SELECT objects_2.title AS title,
    objects_2.pages AS pages,
    objects_2.mood AS mood,
    CAST(objects_2.tags AS text[]) AS tags
  FROM unnest(
    CAST($1 AS character varying[]),
    CAST($2 AS integer[]),
    CAST($3 AS public.mood[]),
    CAST($4 AS text[])
  ) AS objects_2(title, pages, mood, tags)
  RETURNING public.book.title AS title,
    public.book.pages AS pages,
    public.book.mood AS mood,
    public.book.tags AS tags
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
          ) || ', "mood" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (CAST(affected_1.mood AS TEXT) = 'sad') THEN 'BLUE'
                ELSE CAST(affected_1.mood AS TEXT)
                END
              ) AS TEXT
            ),
            'null'
          ) || ', "tags" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                CASE
                WHEN (coalesce(pg_catalog.array_ndims(affected_1.tags), 1) = 1) THEN affected_1.tags
                END
              ) AS TEXT
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
-- ["{\"A\",\"B\",\"C\"}", "{\"1\",NULL,\"3\"}", "{\"sad\",NULL,\"happy\"}", "{\"{\\\"x\\\"}\",NULL,\"{}\"}"]

-- afterwards:
-- ["First", 100, null, null]
-- ["A", 1, "sad", ["x"]]
-- ["B", null, null, null]
-- ["C", 3, "happy", []]
