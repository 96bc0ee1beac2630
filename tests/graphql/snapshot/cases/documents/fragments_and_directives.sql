SELECT CAST(
  (
    WITH page_1 AS (
      SELECT account_2.id AS id
      FROM public.account AS account_2
      ORDER BY account_2.id ASC NULLS LAST
      LIMIT 1
    )
    SELECT json_build_object(
      'edges', coalesce(
        json_agg(json_build_object('node', json_build_object('id', page_1.id))), '[]'
      ),
      '__typename', 'accountConnection'
    ) AS json_build_object_1
    FROM page_1
  ) AS TEXT
) AS anon_1,
  CAST(
    (
      WITH page_3 AS (
        SELECT account_4.id AS id,
          account_4.email AS email
        FROM public.account AS account_4
        ORDER BY account_4.id ASC NULLS LAST
        LIMIT 1
      )
      SELECT json_build_object(
        'edges', coalesce(
          json_agg(
            json_build_object(
              'node', json_build_object(
                '__typename', 'account',
                'nodeId', translate(
                  encode(
                    convert_to(
                      CAST(jsonb_build_array('public', 'account', page_3.id) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                ),
                'email', page_3.email,
                'id', page_3.id
              )
            )
          ),
          '[]'
        )
      ) AS json_build_object_2
      FROM page_3
    ) AS TEXT
  ) AS anon_2;
-- []
