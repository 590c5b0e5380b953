DROP FUNCTION find_stem_holders;
