WITH affected_1 AS (
  DELETE FROM public.post AS post_2
  WHERE post_2.id = CAST($1 AS integer)
  RETURNING post_2.id AS id,
    post_2.title AS title
)
SELECT CAST(
  (
    SELECT
    CASE
    WHEN (count(*) > CAST('1' AS bigint)) THEN to_json(
      CAST('portico: delete impacts too many records; ' || CAST(count(*) AS TEXT) AS integer)
    )
    ELSE json_build_object(
      'records', coalesce(
        json_agg(
          json_build_object(
            'nodeId', translate(
              encode(
                convert_to(
                  CAST(jsonb_build_array('public', 'post', affected_1.id) AS TEXT), 'UTF8'
                ),
                'base64'
              ),
              E'\n',
              ''
            ),
            'title', affected_1.title
          )
        ),
        '[]'
      )
    )
    END AS anon_2
    FROM affected_1
    HAVING true
  ) AS TEXT
) AS anon_1;
-- ["3"]

-- afterwards:
-- [1]
-- [2]
