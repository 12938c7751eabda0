/** Statements that migrate a schema to layout 1, then those to layout 2, and so on. Released statements never change. */
export type Steps = readonly (readonly string[])[]

/**
 * The current steps. The tables are those of the SQLite store, but `runs` also has everything that one statement must
 * know about a run: after waiting for a row, a statement reads that row again, but no others. `work_at` is null if
 * there is no work for workers. JSON is text, to keep the order of its keys. Times are Unix milliseconds.
 */
export const steps: Steps = [
  [
    `CREATE TABLE @.runs (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      agent text NOT NULL,
      agent_version text,
      status text NOT NULL,
      reason text,
      code text,
      error text,
      created_at float8 NOT NULL,
      updated_at float8 NOT NULL,
      version int NOT NULL,
      written_seq int NOT NULL,
      inbox_last bigint NOT NULL DEFAULT 0,
      next_due float8,
      owner text,
      host text,
      pid bigint,
      pid_start text,
      fence bigint NOT NULL,
      lease_expires float8 NOT NULL,
      forked_run text,
      forked_version int,
      document text,
      transcript bigint,
      first_seq int NOT NULL,
      last_seq int,
      calls_from int NOT NULL,
      continued_run text,
      created_by text NOT NULL,
      session text,
      subject text,
      labels text,
      prompt text,
      answered_at float8,
      failed_version int,
      failures int,
      problem text,
      work_at float8 GENERATED ALWAYS AS (
        CASE status WHEN 'running' THEN 0 WHEN 'waiting' THEN least(answered_at, next_due) END) STORED
    ) WITH (fillfactor = 80)`,
    'CREATE INDEX runs_by_age ON @.runs (created_at, number)',
    'CREATE INDEX runs_by_agent ON @.runs (agent, created_at, number)',
    "CREATE INDEX runs_open ON @.runs (status, created_at, number) WHERE status <> 'done'",
    'CREATE INDEX runs_due ON @.runs (next_due) WHERE next_due IS NOT NULL',
    'CREATE INDEX runs_due_of_agent ON @.runs (agent, next_due) WHERE next_due IS NOT NULL',
    'CREATE INDEX runs_with_work ON @.runs (agent, work_at) WHERE work_at IS NOT NULL',
    "CREATE INDEX runs_postponed ON @.runs (lease_expires) WHERE owner IS NULL AND lease_expires > 0 AND status <> 'done'",
    'CREATE INDEX runs_of_session ON @.runs (session, created_at, number) WHERE session IS NOT NULL',
    'CREATE INDEX runs_of_subject ON @.runs USING hash (subject) WHERE subject IS NOT NULL',
    'CREATE INDEX runs_with_labels ON @.runs (created_at, number) WHERE labels IS NOT NULL',
    'CREATE INDEX runs_of_transcript ON @.runs (transcript, first_seq, number) WHERE transcript IS NOT NULL',
    'CREATE TABLE @.transcripts (number bigint PRIMARY KEY, parent bigint NOT NULL, at_seq int NOT NULL)',
    'CREATE INDEX transcripts_of_parent ON @.transcripts (parent, at_seq)',
    'CREATE TABLE @.inputs (number bigint PRIMARY KEY, body text NOT NULL)',
    'CREATE TABLE @.files (transcript bigint, seq int, sha256 text, data text NOT NULL, PRIMARY KEY (transcript, seq, sha256))',
    'ALTER TABLE @.files ALTER COLUMN data SET STORAGE EXTERNAL',
    `CREATE TABLE @.log (
      transcript bigint NOT NULL,
      seq int NOT NULL,
      version int NOT NULL,
      kind text NOT NULL,
      body text NOT NULL,
      document text,
      at float8,
      turn int,
      place int,
      PRIMARY KEY (transcript, seq)
    )`,
    `CREATE TABLE @.inbox (
      run bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      kind text NOT NULL,
      decision_id text,
      call_id text,
      suspension_id text,
      body text NOT NULL,
      at float8 NOT NULL,
      consumed int,
      token text,
      PRIMARY KEY (run, id)
    )`,
    'CREATE TABLE @.layout (program text NOT NULL PRIMARY KEY, version int NOT NULL)',
  ],
]

/** The columns of a run that nobody holds. */
export const free = 'owner = NULL, host = NULL, pid = NULL, pid_start = NULL, lease_expires = 0'
