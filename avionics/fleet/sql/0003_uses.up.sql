ALTER TABLE facts ADD COLUMN uses bytea;
COMMENT ON COLUMN facts.uses IS 'the segment with the uses of the content, NULL until a worker has extracted them';
