SELECT (
  '{"aggregate" : ' || coalesce(
    (
      SELECT (
        '{"__typename" : "bookAggregate", "sum" : {"__typename" : "bookSumAggregateResult"}}'
      ) AS json_2
      FROM public.book AS book_1
      HAVING true
    ),
    'null'
  ) || '}'
) AS json_1;
-- []
