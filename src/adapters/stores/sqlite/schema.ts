import { changingKinds } from '../../../core/domain/inbox.ts'
import { maxSeq } from '../../../core/stores/rows/encode-commit.ts'

/** The bytes of a page. A commit rewrites whole pages, and most commits have 1 to 4 kB. */
export const pageSize = 1024

/**
 * The maximum number of log entries of a transcript. `log.id` is the transcript's number times this, plus the entry's
 * `seq`.
 */
export const logSpan = maxSeq + 1

/** The number of the transcript that a run writes to, in a row of `runs`. */
export const transcriptOfRun = 'coalesce(runs.transcript, runs.number)'

/** Matches the log rows that a run wrote, in a join of `runs` and `log`. */
export const ofRun = `
  log.id BETWEEN ${transcriptOfRun} * ${logSpan} + runs.first_seq
    AND ${transcriptOfRun} * ${logSpan} + coalesce(runs.last_seq, ${maxSeq})`

/** The `seq` of a log row. */
export const seqColumn = `log.id & ${logSpan - 1} AS seq`

/** The kinds of inbox rows that make a waiting run continue, as a list in SQL. */
export const changingKindsList = [...changingKinds].map((kind) => `'${kind}'`).join(', ')

/** The layout of a store's file. */
export interface Layout {
  /** Creates the tables in an empty file. */
  readonly tables: string
  /** Statements that migrate layout 1 to 2, then 2 to 3, and so on. Released statements never change. */
  readonly migrations: readonly (readonly string[])[]
}

/**
 * The tables. A commit with a checkpoint writes only to the end of `log`: the version of a run is that of its last log row, or
 * `runs.version` if that is higher. `log.id` keeps the rows of a run together: a key of run and `seq` took twice the time and
 * 1.5 times the bytes. `place` is the slot of the call whose result a message is, or the message with a call's result. Times
 * are REAL, because a clock may give fractions.
 *
 * A transcript has the number of the run that began it, whose `transcript` is null. A run that continues a transcript writes
 * from `first_seq` on, and the one before it ends at `last_seq`. Any other transcript begins behind `at_seq` of its `parent`.
 *
 * A file has the bytes of a large picture or document. Its `place` is the id of the log row that refers to it first: whoever
 * reads that row may read the file, and it goes with that row. While only the input or the inbox of a run refers to it, its
 * `place` is the run's number with a `seq` of 0, which no other run reads. A file has `parts` rows, because a row of a
 * Durable Object holds at most 2 MB.
 */
const tables = `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    agent TEXT NOT NULL,
    agent_version TEXT,
    status TEXT NOT NULL,
    reason TEXT,
    code TEXT,
    error TEXT,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    version INTEGER NOT NULL,
    owner TEXT,
    host TEXT,
    pid INTEGER,
    pid_start TEXT,
    fence INTEGER NOT NULL,
    lease_expires REAL NOT NULL,
    forked_run TEXT,
    forked_version INTEGER,
    document TEXT,
    transcript INTEGER,
    first_seq INTEGER NOT NULL DEFAULT 1,
    last_seq INTEGER,
    calls_from INTEGER NOT NULL DEFAULT 1,
    continued_run TEXT,
    session TEXT,
    subject TEXT,
    labels TEXT,
    prompt TEXT
  ) STRICT;
  CREATE INDEX runs_by_age ON runs (created_at);
  CREATE INDEX runs_by_agent ON runs (agent, created_at);
  CREATE INDEX runs_open ON runs (status, created_at) WHERE status <> 'done';
  CREATE INDEX runs_of_transcript ON runs (transcript, first_seq) WHERE transcript IS NOT NULL;
  CREATE INDEX runs_held ON runs (agent) WHERE owner IS NOT NULL;
  CREATE INDEX runs_to_begin ON runs (agent, lease_expires) WHERE status = 'running' AND owner IS NULL;
  CREATE INDEX runs_postponed ON runs (agent, lease_expires) WHERE owner IS NULL AND lease_expires > 0;
  CREATE INDEX runs_of_session ON runs (session, created_at) WHERE session IS NOT NULL;
  CREATE INDEX runs_of_subject ON runs (subject, created_at) WHERE subject IS NOT NULL;
  CREATE INDEX runs_with_labels ON runs (created_at) WHERE labels IS NOT NULL;

  CREATE TABLE transcripts (
    number INTEGER PRIMARY KEY,
    parent INTEGER NOT NULL,
    at_seq INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX transcripts_of_parent ON transcripts (parent, at_seq);

  CREATE TABLE failures (
    run_id TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    problem TEXT
  ) STRICT;

  CREATE TABLE inputs (
    number INTEGER PRIMARY KEY,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE files (
    place INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    part INTEGER NOT NULL,
    parts INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (place, sha256, part)
  ) STRICT;

  CREATE TABLE log (
    id INTEGER PRIMARY KEY,
    version INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    document ANY,
    at REAL,
    turn INTEGER,
    place INTEGER
  ) STRICT;

  CREATE TABLE inbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    decision_id TEXT,
    call_id TEXT,
    suspension_id TEXT,
    body TEXT NOT NULL,
    at REAL NOT NULL,
    consumed INTEGER,
    UNIQUE (run_id, decision_id)
  ) STRICT;
  CREATE UNIQUE INDEX inbox_answers ON inbox (run_id, suspension_id) WHERE suspension_id IS NOT NULL;
  CREATE INDEX inbox_changing ON inbox (run_id, at) WHERE consumed IS NULL AND kind IN (${changingKindsList});
  CREATE INDEX inbox_of_call ON inbox (run_id, call_id) WHERE decision_id IS NOT NULL;

  CREATE TABLE timers (
    run_id TEXT NOT NULL,
    key TEXT NOT NULL,
    agent TEXT NOT NULL,
    due REAL NOT NULL,
    PRIMARY KEY (run_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timers_by_due ON timers (due);
  CREATE INDEX timers_of_agent ON timers (agent, due);
`

/** The current layout. */
export const layout: Layout = { tables, migrations: [] }
