WITH affected_1 AS (
  DELETE FROM public.post AS post_2
  WHERE post_2.id = CAST($1 AS integer)
  RETURNING post_2.id AS id,
    post_2.title AS title
)
SELECT (
  SELECT
  CASE
  WHEN (pg_catalog.count(*) > CAST('1' AS bigint)) THEN CAST(
    CAST(
      'portico: delete impacts too many records | Expected in atMost how many rows may be affected, 1 without it: docs/graphql.md, "Changes".; ' || CAST(
        pg_catalog.count(*) AS TEXT
      ) AS integer
    ) AS TEXT
  )
  ELSE (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"nodeId" : ' || coalesce(
            CAST(
              pg_catalog.to_json(
                pg_catalog.translate(
                  pg_catalog.encode(
                    pg_catalog.convert_to(
                      CAST(pg_catalog.jsonb_build_array('public', 'post', affected_1.id) AS TEXT),
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
          ) || ', "title" : ' || coalesce(
            CAST(pg_catalog.to_json(affected_1.title) AS TEXT), 'null'
          ) || '}'
        ), ', '
      ) || ']',
      '[]'
    ) || '}'
  )
  END AS anon_2
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["3"]

-- afterwards:
-- [1]
-- [2]
