SELECT CAST(
  json_build_object('totalCount', (SELECT count(*) AS count_1 FROM public.post AS post_1)) AS TEXT
) AS anon_1,
  CAST(
    json_build_object('totalCount', (SELECT count(*) AS count_2 FROM public.post AS post_2)) AS TEXT
  ) AS anon_2,
  CAST(
    json_build_object('totalCount', (SELECT count(*) AS count_3 FROM public.post AS post_4)) AS TEXT
  ) AS anon_3,
  CAST(
    json_build_object('totalCount', (SELECT count(*) AS count_4 FROM public.post AS post_10)) AS TEXT
  ) AS anon_4;
-- []
