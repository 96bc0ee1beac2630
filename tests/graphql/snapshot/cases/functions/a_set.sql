SELECT (
  WITH page_2 AS (
    SELECT picked_4.age AS age,
      picked_4.id AS id,
      picked_4.email AS email,
      pg_catalog.row_number() OVER () AS position,
      pg_catalog.count(*) OVER () AS count
    FROM (
      SELECT older_than_3.age AS age,
        older_than_3.id AS id,
        older_than_3.email AS email
      FROM "public"."older_than"("years" => CAST($1 AS integer)) AS older_than_3
      WHERE older_than_3.email <> CAST($2 AS text)
      ORDER BY older_than_3.age DESC NULLS LAST,
        older_than_3.id ASC NULLS LAST
      LIMIT 2
    ) AS picked_4
  )
  SELECT (
    '{"totalCount" : ' || coalesce(
      CAST(
        pg_catalog.to_json(
          (
            SELECT pg_catalog.count(*) AS count_1
            FROM "public"."older_than"("years" => CAST($1 AS integer)) AS older_than_1
            WHERE older_than_1.email <> CAST($2 AS text)
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
                      CAST(pg_catalog.jsonb_build_array(page_2.age, page_2.id) AS TEXT), 'UTF8'
                    ),
                    'base64'
                  ),
                  E'\n',
                  ''
                )
              ) AS TEXT
            ),
            'null'
          ) || ', "node" : {"email" : ' || coalesce(
            CAST(pg_catalog.to_json(page_2.email) AS TEXT), 'null'
          ) || '}}'
        ), ', '
      ) FILTER (WHERE page_2.position <= 1) || ']',
      '[]'
    ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
      CAST(pg_catalog.to_json(pg_catalog.count(page_2.position) > 1) AS TEXT), 'null'
    ) || '}}'
  )
  FROM page_2
) AS anon_1;
-- ["20", "z"]
