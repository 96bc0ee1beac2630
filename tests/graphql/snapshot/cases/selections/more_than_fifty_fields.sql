SELECT CAST(
  (
    SELECT CAST(
      left(
        CAST(
          json_build_object(
            'a1', account_1.id,
            'a2', account_1.id,
            'a3', account_1.id,
            'a4', account_1.id,
            'a5', account_1.id,
            'a6', account_1.id,
            'a7', account_1.id,
            'a8', account_1.id,
            'a9', account_1.id,
            'a10', account_1.id,
            'a11', account_1.id,
            'a12', account_1.id,
            'a13', account_1.id,
            'a14', account_1.id,
            'a15', account_1.id,
            'a16', account_1.id,
            'a17', account_1.id,
            'a18', account_1.id,
            'a19', account_1.id,
            'a20', account_1.id,
            'a21', account_1.id,
            'a22', account_1.id,
            'a23', account_1.id,
            'a24', account_1.id,
            'a25', account_1.id,
            'a26', account_1.id,
            'a27', account_1.id,
            'a28', account_1.id,
            'a29', account_1.id,
            'a30', account_1.id,
            'a31', account_1.id,
            'a32', account_1.id,
            'a33', account_1.id,
            'a34', account_1.id,
            'a35', account_1.id,
            'a36', account_1.id,
            'a37', account_1.id,
            'a38', account_1.id,
            'a39', account_1.id,
            'a40', account_1.id,
            'a41', account_1.id,
            'a42', account_1.id,
            'a43', account_1.id,
            'a44', account_1.id,
            'a45', account_1.id,
            'a46', account_1.id,
            'a47', account_1.id,
            'a48', account_1.id,
            'a49', account_1.id,
            'a50', account_1.id
          ) AS TEXT
        ),
        -1
      ) || ', ' || substr(
        CAST(json_build_object('a51', account_1.id, 'email', account_1.email) AS TEXT), 2
      ) AS json
    ) AS anon_2
    FROM public.account AS account_1
    WHERE account_1.id = CAST($1 AS integer)
  ) AS TEXT
) AS anon_1;
-- ["1"]
