WITH affected_1 AS (
  INSERT INTO public.book (tenant_id, id, title)
  VALUES (CAST($1 AS integer), CAST($2 AS integer), CAST($3 AS text)),
    (CAST($4 AS integer), CAST($5 AS integer), CAST($6 AS text))
  RETURNING public.book.tenant_id AS tenant_id,
    public.book.id AS id
)
SELECT (
  SELECT (
    '{"records" : ' || coalesce(
      '[' || pg_catalog.string_agg(
        (
          '{"tenantId" : ' || coalesce(CAST(affected_1.tenant_id AS TEXT), 'null') || ', "id" : ' || coalesce(
            CAST(affected_1.id AS TEXT), 'null'
          ) || '}'
        ), ', '
        ORDER BY CAST(
          (
            SELECT pg_catalog.jsonb_object_agg(
              CAST(ROW(CAST(objects_2.key_0 AS integer), CAST(objects_2.key_1 AS integer)) AS TEXT),
              objects_2.position
            ) AS jsonb_object_agg_1
            FROM (
              VALUES (1, CAST($1 AS integer), CAST($2 AS integer)),
                (2, CAST($4 AS integer), CAST($5 AS integer))
            ) AS objects_2 (position, key_0, key_1)
          ) ->> CAST(ROW(affected_1.tenant_id, affected_1.id) AS TEXT) AS integer
        )
      ) || ']',
      '[]'
    ) || '}'
  ) AS json_1
  FROM affected_1
  HAVING true
) AS anon_1;
-- ["2", "8", "H", "1", "7", "G"]
