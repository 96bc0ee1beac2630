SELECT (
  WITH called_2 AS MATERIALIZED (
    SELECT register_two_1.id AS id,
      register_two_1.email AS email,
      register_two_1.age AS age
    FROM "public"."register_two"("address" => CAST($1 AS text)) AS register_two_1
  )
  SELECT (
    WITH page_4 AS (
      SELECT picked_6.email AS email,
        pg_catalog.row_number() OVER () AS position,
        pg_catalog.count(*) OVER () AS count
      FROM (
        SELECT result_5.email AS email
        FROM called_2 AS result_5
        ORDER BY result_5.id ASC NULLS LAST
        LIMIT 31
      ) AS picked_6
    )
    SELECT (
      '{"totalCount" : ' || coalesce(
        CAST(
          pg_catalog.to_json((SELECT pg_catalog.count(*) AS count_1 FROM called_2 AS result_3)) AS TEXT
        ),
        'null'
      ) || ', "edges" : ' || coalesce(
        '[' || pg_catalog.string_agg(
          (
            '{"node" : {"email" : ' || coalesce(
              CAST(pg_catalog.to_json(page_4.email) AS TEXT), 'null'
            ) || '}}'
          ), ', '
        ) FILTER (WHERE page_4.position <= 30) || ']',
        '[]'
      ) || ', "pageInfo" : {"hasNextPage" : ' || coalesce(
        CAST(pg_catalog.to_json(pg_catalog.count(page_4.position) > 30) AS TEXT), 'null'
      ) || '}}'
    )
    FROM page_4
  ) AS anon_2
  WHERE (SELECT pg_catalog.count(*) AS count_2 FROM called_2) >= 0
) AS anon_1;
-- ["n"]

-- afterwards:
-- ["a@x"]
-- ["b@x"]
-- ["c@x"]
-- ["n1"]
-- ["n2"]
