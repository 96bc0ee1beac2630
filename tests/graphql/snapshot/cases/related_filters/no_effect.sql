SELECT (
  '{"totalCount" : ' || coalesce(
    CAST(
      pg_catalog.to_json((SELECT pg_catalog.count(*) AS count_1 FROM public.post AS post_1)) AS TEXT
    ),
    'null'
  ) || '}'
) AS json_1,
  (
    '{"totalCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json((SELECT pg_catalog.count(*) AS count_2 FROM public.post AS post_2)) AS TEXT
      ),
      'null'
    ) || '}'
  ) AS json_2,
  (
    '{"totalCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json((SELECT pg_catalog.count(*) AS count_3 FROM public.post AS post_4)) AS TEXT
      ),
      'null'
    ) || '}'
  ) AS json_3,
  (
    '{"totalCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json((SELECT pg_catalog.count(*) AS count_4 FROM public.post AS post_10)) AS TEXT
      ),
      'null'
    ) || '}'
  ) AS json_4;
-- []
