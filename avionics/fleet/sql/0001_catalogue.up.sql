CREATE TABLE fleet_settings (name text PRIMARY KEY, value text NOT NULL);

CREATE TABLE repositories (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    location text NOT NULL,
    ref text NOT NULL,
    groups text[] NOT NULL,
    problem text
);

CREATE TABLE segments (
    digest bytea PRIMARY KEY,
    bytes bigint NOT NULL,
    made timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE facts (
    oid bytea NOT NULL,
    language text NOT NULL,
    extractor integer NOT NULL,
    segment bytea NOT NULL,
    PRIMARY KEY (oid, language, extractor)
) PARTITION BY HASH (oid);

CREATE TABLE contents (
    oid bytea PRIMARY KEY,
    segment bytea NOT NULL,
    start bigint NOT NULL,
    bytes integer NOT NULL
) PARTITION BY HASH (oid);

DO $$ BEGIN FOR part IN 0..7 LOOP
    EXECUTE format('CREATE TABLE facts_%s PARTITION OF facts FOR VALUES WITH (MODULUS 8, REMAINDER %s)', part, part);
    EXECUTE format('CREATE TABLE contents_%s PARTITION OF contents FOR VALUES WITH (MODULUS 8, REMAINDER %s)',
        part, part);
END LOOP; END $$;

CREATE TABLE trees (digest bytea PRIMARY KEY, data bytea NOT NULL);

CREATE TABLE snapshots (
    repository bigint PRIMARY KEY REFERENCES repositories ON DELETE CASCADE,
    revision text NOT NULL,
    indexed timestamptz NOT NULL DEFAULT now(),
    files integer NOT NULL,
    trees bytea[] NOT NULL
);

CREATE TABLE packages (
    repository bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    manager text NOT NULL,
    name text NOT NULL,
    version text NOT NULL,
    directory text NOT NULL,
    root text NOT NULL,
    PRIMARY KEY (repository, manager, directory, root)
);
CREATE INDEX packages_root ON packages (manager, root);

CREATE TABLE imported_names (
    repository bigint NOT NULL REFERENCES repositories ON DELETE CASCADE,
    manager text NOT NULL,
    root text NOT NULL,
    PRIMARY KEY (repository, manager, root)
);
CREATE INDEX imported_names_root ON imported_names (manager, root text_pattern_ops);

CREATE TABLE defined_names (
    repository bigint PRIMARY KEY REFERENCES repositories ON DELETE CASCADE,
    names text[] NOT NULL
);
CREATE INDEX defined_names_names ON defined_names USING gin (names);
