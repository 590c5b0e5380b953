DROP TABLE held_stems;
