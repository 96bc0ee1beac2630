SELECT (
  WITH page_2 AS (
    SELECT picked_5.id AS id,
      picked_5.email AS email,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      SELECT account_4.id AS id,
        account_4.email AS email
      FROM public.account AS account_4
      WHERE (account_4.id < CAST($1 AS integer))
      AND (account_4.id > CAST($2 AS integer))
      ORDER BY account_4.id ASC
      LIMIT 3
    ) AS picked_5
  )
  SELECT (
    '{"totalCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          (
            SELECT pg_catalog.count(*) AS count_1
            FROM public.account AS account_1
            WHERE account_1.id < CAST($1 AS integer)
          )
        ) AS TEXT
      ),
      'null'
    ) || ', "edges" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"cursor" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array(page_2.id) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array('public', 'account', page_2.id) AS TEXT),
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
          ) || ', "id" : ' || coalesce(CAST(page_2.id AS TEXT), 'null') || ', "email" : ' || coalesce(
            CAST(pg_catalog.to_json(page_2.email) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_2.position <= 2) || ']',
      '[]'
    ) || ', "pageInfo" : {"startCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
            pg_catalog.translate(
              pg_catalog.encode(
                pg_catalog.convert_to(
                  CAST(pg_catalog.jsonb_build_array(page_2.id) AS TEXT), 'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_2.position = 1)
        ) AS TEXT
      ),
      'null'
    ) || ', "endCursor" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          pg_catalog.max(
            pg_catalog.translate(
              pg_catalog.encode(
                pg_catalog.convert_to(
                  CAST(pg_catalog.jsonb_build_array(page_2.id) AS TEXT), 'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            )
          ) FILTER (WHERE page_2.position = least(page_2.count, 2))
        ) AS TEXT
      ),
      'null'
    ) || ', "hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_2.position) > 2) AS TEXT), 'null'
    ) || ', "hasPreviousPage" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          coalesce(
            pg_catalog.bool_and(
              page_2.id IS DISTINCT
              FROM (
                SELECT account_3.id
                FROM public.account AS account_3
                WHERE account_3.id < CAST($1 AS integer)
                ORDER BY account_3.id ASC
                LIMIT 1
              )
            ) FILTER (WHERE page_2.position = 1),
            false
          )
        ) AS TEXT
      ),
      'null'
    ) || '}}'
  )
  FROM page_2
) AS anon_1;
-- ["5", "2"]
