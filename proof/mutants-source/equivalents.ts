/** Mutants that no test can notice, and those left alive on purpose, each group with its reason. */
export interface Explained {
  readonly reason: string
  readonly mutants: readonly string[]
}

/** Mutants that change nothing anybody could see; reviewed by hand, matched by file and text. */
export const equivalents: readonly Explained[] = [
  {
    reason: 'A loop that goes one place further finds nothing there, and skips it.',
    mutants: [
      'src/core/runtime/transcript.ts: for (let seq = this.#valid; seq < entries.length; seq++) { → for (let seq = this.#valid; seq <= entries.length; seq++) {',
      'src/core/prompt/prompt-builder.ts: for (let index = from; index < messages.length; index++) { → for (let index = from; index <= messages.length; index++) {',
    ],
  },
  {
    reason: 'Ids of inbox rows begin at 1, so that everything after 0 and after -1 is the same.',
    mutants: [
      'src/core/runtime/inbox-reader.ts: #after = 0 → #after = (-1)',
      'src/adapters/stores/sqlite/inbox.ts: unconsumed: () => rowsOf(selectOpen, runId, 0), → unconsumed: () => rowsOf(selectOpen, runId, (-1)),',
    ],
  },
  {
    reason: 'What is no answer is refused in the next line, whatever of it is handed on.',
    mutants: [
      'src/core/effects/model/check-answer.ts: if (!isRecord(answer) || !Array.isArray(answer.content)) return answer → if (!isRecord(answer) || !Array.isArray(answer.content)) return',
    ],
  },
  {
    reason: 'A head that is not kept is read again from the rows it was made of: slower, and the same.',
    mutants: [
      'src/adapters/stores/sqlite/commit.ts: const head = heads.of(commit.runId) ?? headOf(session, commit.runId) → const head = (headOf(session, commit.runId))',
      'src/adapters/stores/sqlite/heads.ts: return this.#heads.get(runId) → return',
    ],
  },
  {
    reason: 'Where there is nothing to go through, going through it changes nothing.',
    mutants: [
      'src/core/prompt/prompt-builder.ts: const nothingSettled: Settled = { index: 0, length: 0, wishes: 0, answers: 0, refused: new Map() } → const nothingSettled: Settled = { index: (-1), length: 0, wishes: 0, answers: 0, refused: new Map() }',
      'src/core/agent/tool-registry.ts: if (notices.length === 0 && told === undefined) return → if (notices.length === (-1) && told === undefined) return',
    ],
  },
  {
    reason: 'There is always a value before the question marks; the other is there for the compiler.',
    mutants: [
      'src/core/runtime/transcript.ts: this.#messages.length = this.#before[this.#valid] ?? 0 → this.#messages.length = this.#before[this.#valid] ?? 1',
      "src/core/agent/tool-registry.ts: end.status === 'rejected' ? [{ name: this.#toolsets[index]?.toolset.name ?? '', cause: end.reason }] : [], → end.status === 'rejected' ? [{ name: this.#toolsets[index]?.toolset.name ?? '?', cause: end.reason }] : [],",
      "src/adapters/stores/sqlite/commit.ts: session.sql(insertLog[some.length] ?? '').run(...values) → session.sql(insertLog[some.length] ?? '?').run(...values)",
      'src/core/domain/text/nearest-name.ts: isSwap ? (before[other - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY, → isSwap ? (before[other - 2] ?? (-1)) + 1 : Number.POSITIVE_INFINITY,',
    ],
  },
  {
    reason:
      'A run has the later of two versions, that of its row and that of its log: each may begin below 0 while the other does not.',
    mutants: [
      'src/core/stores/memory/commit.ts: version: log.rows.at(-1)?.version ?? 0, → version: log.rows.at(-1)?.version ?? (-1),',
      'src/core/stores/memory/memory-run.ts: version: 0, → version: (-1),',
    ],
  },
  {
    reason: 'No host tells of a process 0 whether it has ended, and of what cannot be known nothing is said.',
    mutants: [
      'src/core/domain/owner.ts: if (owner.host !== hostName() || !Number.isSafeInteger(owner.pid) || owner.pid <= 0) return false → if (owner.host !== hostName() || !Number.isSafeInteger(owner.pid) || owner.pid <= (-1)) return false',
      "src/core/stores/rows/lease-rules.ts: return owner === null ? undefined : { id: owner, host: host ?? '', pid: pid ?? 0, pidStart: pidStart ?? '' } → return owner === null ? undefined : { id: owner, host: host ?? '', pid: pid ?? (-1), pidStart: pidStart ?? '' }",
    ],
  },
  {
    reason: 'A run has an outcome exactly where it does not run.',
    mutants: [
      "src/core/driving/run-result.ts: return standing.status !== 'running' && standing.outcome !== undefined → return (standing.status !== 'running' || standing.outcome !== undefined)",
    ],
  },
  {
    reason: 'Another look at what is right gives the same, a little later.',
    mutants: [
      'src/core/stores/rows/json-text.ts: if (text !== undefined && mayHoldRefusedKey(text)) parseJson(text) → if ((text !== undefined || mayHoldRefusedKey(text))) parseJson(text)',
      'src/core/driving/run-driving.ts: mayHaveNews = next?.mayHaveNews === true → ;',
    ],
  },
  {
    reason: 'The store of a bare actor holds one run, whatever it is called.',
    mutants: [
      "src/core/agent/create-agent.ts: return storeFittingDecisions({ ...core, store }, 'plain', items) → return storeFittingDecisions({ ...core, store }, '', items)",
    ],
  },
  {
    reason: 'The first look for news finds none where none came, whatever it is held against.',
    mutants: ['src/adapters/stores/sqlite/watch.ts: seenVersion = dataVersion() → ;'],
  },
  {
    reason: 'While a run runs its time is kept, and that is work of its own.',
    mutants: [
      "src/core/runtime/drive.ts: if (stepper.status === 'running' || runner.hasNews || inbox.hasNews) return true → if (stepper.status === '' || runner.hasNews || inbox.hasNews) return true",
    ],
  },
  {
    reason: 'A signal fires once.',
    mutants: [
      "src/core/runtime/effect-runner.ts: signal.addEventListener('abort', refuse, { once: true }) → signal.addEventListener('abort', refuse, { once: false })",
    ],
  },
  {
    reason: 'A lease that nobody holds ends for nobody.',
    mutants: [
      'src/core/stores/memory/commit.ts: return { fence, owner: null, host: null, pid: null, pidStart: null, expires: 0 } → return { fence, owner: null, host: null, pid: null, pidStart: null, expires: 1 }',
    ],
  },
  {
    reason: 'A call stands in its row as its actor does.',
    mutants: [
      'src/core/runtime/load-run.ts: setStatus: (callId, status) => log.setStatus(callId, status), → setStatus: (callId, status) => undefined, (2)',
    ],
  },
  {
    reason: 'A log that has no hash fits no snapshot, whatever stands for it.',
    mutants: [
      "src/core/plain/plain-log.ts: return copied.problem === undefined ? hashText(canonicalJson(copied.value)) : '' → return copied.problem === undefined ? hashText(canonicalJson(copied.value)) : '?'",
    ],
  },
  {
    reason: 'What a transaction that fails has left is forgotten as a whole; this forgets it before.',
    mutants: ['src/adapters/stores/sqlite/leases.ts: heads.forget(runId) → ;'],
  },
]

/** Mutants that change something and are not worth a test. */
export const left: readonly Explained[] = [
  {
    reason: 'How long is waited before something is tried again, a millisecond or a factor more or less.',
    mutants: [
      'src/adapters/stores/sqlite/open.ts: Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) → Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 5)',
      'src/adapters/stores/sqlite/sql-store.ts: await new Promise((resolve) => setTimeout(resolve, 20)) → await new Promise((resolve) => setTimeout(resolve, 21))',
      'src/adapters/stores/sqlite/sql-store.ts: if (!isLocked(error) || performance.now() >= giveUpAt) throw error → if (!isLocked(error) || performance.now() > giveUpAt) throw error',
      'src/core/runtime/write-commit.ts: for (let attempt = 0; ; attempt++) { → for (let attempt = 1; ; attempt++) {',
    ],
  },
  {
    reason: 'A defect of the engine that no caller can bring about; it is there for the compiler.',
    mutants: [
      "src/core/driving/checkpoint-log.ts: throw new StoreError('run_unknown', `Run \"${record.id}\" has no checkpoint ${version}. List them with history().`) → throw new StoreError('run_unknown', ``)",
      "src/core/runtime/drive.ts: if (this.#loaded === undefined) throw new EngineError('A run was driven before it was loaded.') → if (this.#loaded === undefined) throw new EngineError('')",
      "src/core/stores/rows/columns.ts: if (typeof value !== 'number') throw runDamaged(runId, `column ${column} of a row`, 'holds no number') → if (typeof value !== 'number') throw runDamaged(runId, ``, 'holds no number')",
    ],
  },
  {
    reason: 'A bound of fifty million characters or bytes, one more or less.',
    mutants: [
      'src/core/effects/model/stream-answer.ts: let length = 0 → let length = 1',
      "src/core/effects/tools/tool-result.ts: const isTooLarge = typeof value !== 'string' && jsonBytes(result) > maxJsonBytes → const isTooLarge = typeof value !== 'string' && jsonBytes(result) >= maxJsonBytes",
    ],
  },
  {
    reason: 'A defence in depth of SQLite itself: no schema of ours calls functions.',
    mutants: ["src/adapters/stores/sqlite/open.ts: database.exec('PRAGMA trusted_schema = OFF') → ;"],
  },
  {
    reason: 'Room above what is taken in, which nothing that is taken in can fill: one level less is as good.',
    mutants: [
      'src/core/domain/text/json-limits.ts: export const maxKeptDepth = 220 → export const maxKeptDepth = (219)',
    ],
  },
  {
    reason: 'What only older versions of Node say, in a place where the tests run on a newer one.',
    mutants: [
      "src/adapters/stores/sqlite/module.ts: process.emitWarning = new Proxy(emitWarning, { apply(target, self, args: readonly unknown[]) { const … ng(args[0]).includes('SQLite') return isNotice ? undefined : Reflect.apply(target, self, args) }, }) → ;",
    ],
  },
  {
    reason: 'Speed alone, which the bench watches: how much of a file SQLite keeps in memory.',
    mutants: [
      'src/adapters/stores/sqlite/open.ts: database.exec(`PRAGMA cache_size = -${cacheKiB}`) → database.exec(``)',
    ],
  },
  {
    reason:
      'Two processes have to make the same file in the same milliseconds to come here, which a test brings about by chance alone.',
    mutants: [
      'src/adapters/stores/sqlite/open.ts: Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) → Atomics.wait(new Int32Array(new SharedArrayBuffer(5)), 0, 0, 5)',
    ],
  },
  {
    reason: 'How long the log beside a file grows before it is taken in: nothing but time and room on the disk.',
    mutants: [
      'src/adapters/stores/sqlite/open.ts: database.exec(`PRAGMA wal_autocheckpoint = ${(4 * 1024 * 1024) / pageSize}`) → database.exec(`PRAGMA wal_autocheckpoint = ${(4 * 1024 / 1024) / pageSize}`)',
    ],
  },
  {
    reason: 'What an update without a text counts for beside a million characters, one more or less.',
    mutants: ['src/core/effects/tools/hooked-updates.ts: const emptyUpdate = 100 → const emptyUpdate = 101'],
  },
  {
    reason:
      'A run that moves has something else to write as well, on every way the tests and the random sequences take.',
    mutants: [
      'src/core/runtime/live-run.ts: if (stepper.status !== head.status) return true → if (stepper.status !== head.status) return false',
    ],
  },
]

/** Reasons by name of a mutant; refuses a short reason and a name listed twice. */
export function readExplained(groups: readonly Explained[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>()
  for (const { reason, mutants } of groups) {
    if (reason.length < 20) throw new Error(`No reason is given for: ${mutants.join('; ')}`)
    for (const id of mutants) {
      if (reasons.has(id)) throw new Error(`Listed twice: ${id}`)
      reasons.set(id, reason)
    }
  }
  return reasons
}
