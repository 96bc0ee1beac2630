SELECT (
  WITH page_1 AS (
    (
      SELECT comment_2.id AS id
      FROM public.comment AS comment_2
      LEFT OUTER JOIN public.post AS comment_2_r1 ON comment_2_r1.id = comment_2.post_id
      LEFT OUTER JOIN public.account AS comment_2_r2 ON comment_2_r2.id = comment_2_r1.account_id
      LEFT OUTER JOIN public.profile AS comment_2_r3 ON comment_2_r3.account_id = comment_2_r2.id
      LEFT OUTER JOIN LATERAL (
        SELECT pg_catalog.count(*) AS value
        FROM public.post AS comment_2_r4
        WHERE comment_2_r4.account_id = comment_2_r2.id
      ) AS comment_2_r5 ON true
      WHERE comment_2_r3.bio IS NULL
      ORDER BY comment_2_r3.bio ASC NULLS FIRST,
        comment_2_r5.value DESC NULLS LAST,
        comment_2.id ASC
      LIMIT 30
    )
    UNION ALL (
      SELECT comment_2.id AS id
      FROM public.comment AS comment_2
      LEFT OUTER JOIN public.post AS comment_2_r1 ON comment_2_r1.id = comment_2.post_id
      LEFT OUTER JOIN public.account AS comment_2_r2 ON comment_2_r2.id = comment_2_r1.account_id
      LEFT OUTER JOIN public.profile AS comment_2_r3 ON comment_2_r3.account_id = comment_2_r2.id
      LEFT OUTER JOIN LATERAL (
        SELECT pg_catalog.count(*) AS value
        FROM public.post AS comment_2_r4
        WHERE comment_2_r4.account_id = comment_2_r2.id
      ) AS comment_2_r5 ON true
      WHERE comment_2_r3.bio IS NOT NULL
      ORDER BY comment_2_r3.bio ASC NULLS FIRST,
        comment_2_r5.value DESC NULLS LAST,
        comment_2.id ASC
      LIMIT 30
    )
    LIMIT 30
  )
  SELECT (
    '{"edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        ('{"node" : {"id" : ' || coalesce(CAST(page_1.id AS TEXT), 'null') || '}}'), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  FROM page_1
) AS anon_1;
-- []
