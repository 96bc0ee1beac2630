SELECT CAST(
  (
    SELECT json_build_object(
      '__typename', 'pair',
      'nodeId', translate(
        encode(
          convert_to(CAST(jsonb_build_array('public', 'pair', pair_1.a, pair_1.b) AS TEXT), 'UTF8'),
          'base64'
        ),
        E'\n',
        ''
      ),
      'a', pair_1.a,
      'b', CAST(pair_1.b AS TEXT),
      'note', pair_1.note
    ) AS json_build_object_1
    FROM public.pair AS pair_1
    WHERE (pair_1.a = CAST($1 AS text))
    AND (pair_1.b = CAST($2 AS bigint))
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      WITH page_2 AS (
        SELECT pair_3.note AS note
        FROM public.pair AS pair_3
        WHERE (pair_3.a = CAST($1 AS text))
        AND (pair_3.b = CAST($2 AS bigint))
        ORDER BY pair_3.a ASC NULLS LAST,
          pair_3.b ASC NULLS LAST
        LIMIT 30
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(json_build_object('node', json_build_object('note', page_2.note))), '[]'
        )
      ) AS json_build_object_2
      FROM page_2
    ) AS TEXT
  ) AS anon_2;
-- ["x\"y", "9007199254740993"]
