-- no statement

-- afterwards:
-- [1, "n"]
-- [2, "n"]
-- [3, null]
