ALTER TABLE defined_names RENAME TO name_pieces;
ALTER INDEX defined_names_pkey RENAME TO name_pieces_pkey;
CREATE TABLE defined_names (
    repository bigint PRIMARY KEY REFERENCES repositories ON DELETE CASCADE,
    names text[] NOT NULL
);
INSERT INTO defined_names
    SELECT repository, coalesce(array_agg(name ORDER BY name COLLATE "C") FILTER (WHERE name IS NOT NULL), '{}')
    FROM snapshots LEFT JOIN (SELECT repository AS owner, unnest(names) AS name FROM name_pieces) AS named
        ON owner = repository GROUP BY repository;
CREATE INDEX defined_names_names ON defined_names USING gin (names);
DROP TABLE name_pieces;
ALTER TABLE held_stems ALTER COLUMN stems SET STATISTICS -1;
