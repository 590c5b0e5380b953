CREATE TABLE held_stems (
    repository bigint PRIMARY KEY REFERENCES repositories ON DELETE CASCADE,
    stems integer[] NOT NULL
);
CREATE INDEX held_stems_stems ON held_stems USING gin (stems);
