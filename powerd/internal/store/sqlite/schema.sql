CREATE TABLE runs (
	id              TEXT PRIMARY KEY,
	suite           TEXT NOT NULL,
	bench           TEXT NOT NULL,
	drive           TEXT NOT NULL,
	drive_serial    TEXT NOT NULL,
	firmware        TEXT NOT NULL,
	module          TEXT NOT NULL,
	simulated       INTEGER NOT NULL,
	started_utc_ns  INTEGER NOT NULL,
	started_mono_ns INTEGER NOT NULL,
	ended_utc_ns    INTEGER,
	outcome         TEXT NOT NULL,
	results_json    TEXT
);
CREATE INDEX runs_drive ON runs (drive, drive_serial);

CREATE TABLE steps (
	run          TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	name         TEXT NOT NULL,
	kind         TEXT NOT NULL,
	start_utc_ns INTEGER NOT NULL,
	end_utc_ns   INTEGER,
	outcome      TEXT NOT NULL,
	why          TEXT NOT NULL,
	PRIMARY KEY (run, name)
) WITHOUT ROWID;

CREATE TABLE result_rows (
	run          TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	tbl          TEXT NOT NULL,
	row          INTEGER NOT NULL,
	start_utc_ns INTEGER,
	end_utc_ns   INTEGER,
	keys         TEXT NOT NULL,
	PRIMARY KEY (run, tbl, row)
) WITHOUT ROWID;

CREATE TABLE figures (
	run   TEXT NOT NULL,
	tbl   TEXT NOT NULL,
	row   INTEGER NOT NULL,
	name  TEXT NOT NULL,
	unit  TEXT NOT NULL,
	value REAL,
	u95   REAL,
	text  TEXT,
	why   TEXT,
	PRIMARY KEY (run, tbl, row, name),
	FOREIGN KEY (run, tbl, row) REFERENCES result_rows (run, tbl, row) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE VIEW efficiency AS
SELECT r.run, u.started_utc_ns, u.bench, u.drive, u.drive_serial, u.firmware, u.simulated,
	r.keys ->> '$.step' AS step,
	r.keys ->> '$.rw' AS rw,
	CAST(r.keys ->> '$.bs' AS INTEGER) AS bs,
	CAST(r.keys ->> '$.read_pct' AS INTEGER) AS read_pct,
	CAST(r.keys ->> '$.qd' AS INTEGER) AS qd,
	CAST(r.keys ->> '$.jobs' AS INTEGER) AS jobs,
	r.keys ->> '$.state' AS state,
	max(f.value) FILTER (WHERE f.name = 'iops') AS iops,
	max(f.value) FILTER (WHERE f.name = 'mb_per_s') AS mb_per_s,
	max(f.value) FILTER (WHERE f.name = 'mean_w') AS mean_w,
	max(f.u95) FILTER (WHERE f.name = 'mean_w') AS mean_w_u95,
	max(f.value) FILTER (WHERE f.name = 'iops_per_mw') AS iops_per_mw,
	max(f.u95) FILTER (WHERE f.name = 'iops_per_mw') AS iops_per_mw_u95,
	max(f.value) FILTER (WHERE f.name = 'mb_per_s_per_mw') AS mb_per_s_per_mw,
	max(f.u95) FILTER (WHERE f.name = 'mb_per_s_per_mw') AS mb_per_s_per_mw_u95
FROM result_rows r JOIN runs u ON u.id = r.run LEFT JOIN figures f USING (run, tbl, row)
WHERE r.tbl = 'efficiency'
GROUP BY r.run, r.row;

CREATE TABLE agg_100ms (
	run        TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	rail       TEXT NOT NULL,
	end_utc_ns INTEGER NOT NULL,
	step       TEXT NOT NULL,
	n          INTEGER NOT NULL,
	lost       INTEGER NOT NULL,
	min_v REAL, mean_v REAL, max_v REAL, std_v REAL,
	min_a REAL, mean_a REAL, max_a REAL, std_a REAL,
	min_w REAL, mean_w REAL, max_w REAL, std_w REAL,
	PRIMARY KEY (run, rail, end_utc_ns)
) WITHOUT ROWID;

CREATE TABLE engine_100ms (
	run         TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
	end_utc_ns  INTEGER NOT NULL,
	step        TEXT NOT NULL,
	duration_ns INTEGER NOT NULL,
	reads       INTEGER NOT NULL,
	writes      INTEGER NOT NULL,
	read_bytes  INTEGER NOT NULL,
	write_bytes INTEGER NOT NULL,
	PRIMARY KEY (run, end_utc_ns, step)
) WITHOUT ROWID;

CREATE TABLE outbox (
	id              INTEGER PRIMARY KEY AUTOINCREMENT,
	dest            TEXT NOT NULL,
	payload         TEXT NOT NULL,
	points          INTEGER NOT NULL,
	bytes           INTEGER NOT NULL,
	created_utc_ns  INTEGER NOT NULL,
	attempts        INTEGER NOT NULL DEFAULT 0,
	next_try_utc_ns INTEGER,
	last_error      TEXT,
	parked          INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX outbox_order ON outbox (dest, parked, id);

CREATE TABLE outbox_total (
	dest    TEXT NOT NULL,
	parked  INTEGER NOT NULL,
	batches INTEGER NOT NULL,
	points  INTEGER NOT NULL,
	bytes   INTEGER NOT NULL,
	PRIMARY KEY (dest, parked)
) WITHOUT ROWID;

CREATE TRIGGER outbox_added AFTER INSERT ON outbox BEGIN
	INSERT INTO outbox_total VALUES (new.dest, new.parked, 1, new.points, new.bytes)
	ON CONFLICT DO UPDATE SET batches = batches + 1, points = points + new.points, bytes = bytes + new.bytes;
END;
CREATE TRIGGER outbox_removed AFTER DELETE ON outbox BEGIN
	UPDATE outbox_total SET batches = batches - 1, points = points - old.points, bytes = bytes - old.bytes
	WHERE dest = old.dest AND parked = old.parked;
END;
CREATE TRIGGER outbox_parked AFTER UPDATE OF parked ON outbox WHEN new.parked <> old.parked BEGIN
	UPDATE outbox_total SET batches = batches - 1, points = points - old.points, bytes = bytes - old.bytes
	WHERE dest = old.dest AND parked = old.parked;
	INSERT INTO outbox_total VALUES (new.dest, new.parked, 1, new.points, new.bytes)
	ON CONFLICT DO UPDATE SET batches = batches + 1, points = points + new.points, bytes = bytes + new.bytes;
END;
