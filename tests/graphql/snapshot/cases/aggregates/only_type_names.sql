SELECT CAST(
  json_build_object(
    'aggregate', (
      SELECT json_build_object(
        '__typename', 'bookAggregate',
        'sum', json_build_object('__typename', 'bookSumAggregateResult')
      ) AS json_build_object_1
      FROM public.book AS book_1
      HAVING true
    )
  ) AS TEXT
) AS anon_1;
-- []
