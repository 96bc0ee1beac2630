SELECT (
  '{"totalCount" : ' || coalesce(
    CAST(
      pg_catalog.to_json(
        (
          SELECT pg_catalog.count(*) AS count_1
          FROM public.item AS item_1
          WHERE item_1.rank IS NOT NULL
        )
      ) AS TEXT
    ),
    'null'
  ) || '}'
) AS json_1;
-- []
