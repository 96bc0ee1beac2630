SELECT (
  SELECT (
    '{"__typename" : "pair", "nodeId" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.translate(
            pg_catalog.encode(
              pg_catalog.convert_to(
                CAST(pg_catalog.jsonb_build_array('public', 'pair', pair_1.a, pair_1.b) AS TEXT),
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
    ) || ', "a" : ' || coalesce(CAST(pg_catalog.to_json(pair_1.a) AS TEXT), 'null') || ', "b" : ' || coalesce(
      ('"' || CAST(pair_1.b AS TEXT) || '"'), 'null'
    ) || ', "note" : ' || coalesce(CAST(pg_catalog.to_json(pair_1.note) AS TEXT), 'null') || '}'
  ) AS json_1
  FROM public.pair AS pair_1
  WHERE (pair_1.a = CAST($1 AS text))
  AND (pair_1.b = CAST($2 AS bigint))
) AS anon_1,
  (
    WITH page_2 AS (
      SELECT pair_3.note AS note
      FROM public.pair AS pair_3
      WHERE (pair_3.a = CAST($1 AS text))
      AND (pair_3.b = CAST($2 AS bigint))
      ORDER BY pair_3.a ASC,
        pair_3.b ASC
      LIMIT 30
    )
    SELECT (
      '{"edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"note" : ' || coalesce(
              CAST(pg_catalog.to_json(page_2.note) AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) || ']',
        '[]'
      ) || '}'
    )
    FROM page_2
  ) AS anon_2;
-- ["x\"y", "9007199254740993"]
