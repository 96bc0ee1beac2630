-- no statement

-- afterwards:
-- [1]
