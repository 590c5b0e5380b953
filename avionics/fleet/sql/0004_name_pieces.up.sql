ALTER TABLE defined_names RENAME TO whole_names;
ALTER INDEX defined_names_pkey RENAME TO whole_names_pkey;
CREATE TABLE defined_names (
    repository bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    bucket smallint NOT NULL,
    piece smallint NOT NULL,
    names text[] NOT NULL,
    PRIMARY KEY (repository, bucket, piece)
) PARTITION BY LIST (bucket);
COMMENT ON COLUMN defined_names.bucket IS 'the first byte of the SHA-256 of each of the names, modulo 64';
COMMENT ON COLUMN defined_names.names IS 'so many names that the row stays below 2,000 bytes, and in its place';

-- Nothing plans with what ANALYZE would collect of these columns, which takes it long and 4 MB to keep.
ALTER TABLE held_stems ALTER COLUMN stems SET STATISTICS 0;

DO $$ BEGIN FOR part IN 0..63 LOOP
    EXECUTE format('CREATE TABLE defined_names_%s PARTITION OF defined_names FOR VALUES IN (%s)', part, part);
END LOOP; END $$;
ALTER TABLE defined_names ALTER COLUMN names SET STATISTICS 0;

INSERT INTO defined_names
    SELECT repository, bucket, size / 1200, array_agg(name ORDER BY name COLLATE "C") FROM (
        SELECT *, sum(octet_length(name) + 7) OVER (
            PARTITION BY repository, bucket ORDER BY name COLLATE "C" ROWS UNBOUNDED PRECEDING
        ) - octet_length(name) - 7 AS size FROM (
            SELECT repository, name, get_byte(sha256(convert_to(name, 'UTF8')), 0) % 64 AS bucket
            FROM whole_names, unnest(names) AS name
        ) AS placed
    ) AS sized GROUP BY repository, bucket, size / 1200;
DROP TABLE whole_names;
