-- The planner takes arrays that are stored elsewhere to be free to read, so of its own accord it often reads them all.
CREATE FUNCTION find_stem_holders(stem integer) RETURNS SETOF bigint LANGUAGE sql STABLE SET enable_seqscan = off
    AS 'SELECT repository FROM held_stems WHERE stems @> ARRAY[$1]';
