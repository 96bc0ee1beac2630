SELECT CAST(
  (
    WITH page_1 AS (
      SELECT account_2.id AS id,
        account_2.email AS email
      FROM public.account AS account_2
      ORDER BY account_2.id ASC NULLS LAST
      LIMIT 1
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(
          json_build_object(
            'node', json_build_object('id', page_1.id, 'email', page_1.email),
            'cursor', translate(
              encode(convert_to(CAST(jsonb_build_array(page_1.id) AS TEXT), 'UTF8'), 'base64'),
              E'\n',
              ''
            )
          )
        ),
        '[]'
      )
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1;
-- []
