SELECT (
  WITH page_1 AS (
    SELECT item_2.name AS name,
      item_2.id AS id,
      item_2.embedding AS embedding,
      item_2.embedding OPERATOR("public".<->) CAST($1 AS public.vector(3)) AS ordered_by
    FROM public.item AS item_2
    WHERE (
      (item_2.embedding OPERATOR("public".<->) CAST($1 AS public.vector(3))) > CAST(
        $2 AS double precision
      )
    )
    OR (item_2.embedding OPERATOR("public".<->) CAST($1 AS public.vector(3))) IS NULL
    OR (
      (item_2.embedding OPERATOR("public".<->) CAST($1 AS public.vector(3))) = CAST(
        $2 AS double precision
      )
    )
    AND ((item_2.name, item_2.id) > (CAST($3 AS text), CAST($4 AS integer)) OR item_2.name IS NULL)
    ORDER BY item_2.embedding OPERATOR("public".<->) CAST($1 AS public.vector(3)) ASC NULLS LAST,
      item_2.name ASC NULLS LAST,
      item_2.id ASC
    LIMIT 2
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(
                        pg_catalog.jsonb_build_array(page_1.ordered_by, page_1.name, page_1.id) AS TEXT
                      ),
                      'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "distance" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                nullif(nullif(nullif(page_1.ordered_by, 'NaN'), 'Infinity'), '-Infinity')
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || ', "embedding" : ' || coalesce(
            CAST(page_1.embedding AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- ["[1,0.5,0]", "0.5", "x", "1"]
