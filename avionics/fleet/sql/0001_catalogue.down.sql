DROP TABLE defined_names, imported_names, packages, snapshots, trees, contents, facts, segments, repositories, fleet_settings;
