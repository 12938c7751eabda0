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
      'src/runtime/transcript.ts: for (let seq = this.#valid; seq < entries.length; seq++) { → for (let seq = this.#valid; seq <= entries.length; seq++) {',
    ],
  },
  {
    reason: 'The shape of the options refuses 0 before this is read.',
    mutants: [
      'src/agent/options.ts: hookTimeoutMs: options.hookTimeoutMs ?? 60_000, → hookTimeoutMs: (options.hookTimeoutMs || 60_000),',
    ],
  },
  {
    reason: 'Ids of inbox rows begin at 1, so that everything after 0 and after -1 is the same.',
    mutants: ['src/runtime/inbox-reader.ts: #after = 0 → #after = (-1)'],
  },
  {
    reason: 'What is no answer is refused in the next line, whatever of it is handed on.',
    mutants: [
      'src/effects/check-answer.ts: if (!isRecord(answer) || !Array.isArray(answer.content)) return answer → if (!isRecord(answer) || !Array.isArray(answer.content)) return',
    ],
  },
  {
    reason: 'It is the least a text can have; what may be too large is counted exactly in the end.',
    mutants: ['src/domain/json-copy.ts: this.#count(key.length + 3) → this.#count(key.length + (2))'],
  },
  {
    reason: 'Both ways give the same text where the copy ends with what is known.',
    mutants: [
      'src/stores/sqlite/text-difference.ts: text += to <= known.length ? known.slice(first.value, to) : (known + text).slice(first.value, to) → text += to < known.length ? known.slice(first.value, to) : (known + text).slice(first.value, to)',
    ],
  },
  {
    reason: 'A stream that forgets what is pending has ended, and takes nothing more.',
    mutants: ['src/runtime/event-stream.ts: this.#passingLength = 0 → ;'],
  },
  {
    reason: 'A head that is not kept is read again from the rows it was made of: slower, and the same.',
    mutants: [
      'src/stores/sqlite/commit.ts: const head = heads.of(commit.runId) ?? headOf(session, commit.runId) → const head = (headOf(session, commit.runId))',
      'src/stores/sqlite/heads.ts: return this.#heads.get(runId) → return',
    ],
  },
]

/** Mutants that change something and are not worth a test. */
export const left: readonly Explained[] = [
  {
    reason:
      'Another search finds other pieces to point at, and every text still comes back; only its size differs by a little.',
    mutants: [
      'src/stores/sqlite/text-difference.ts: const first = Math.imul(codes[at] ?? 0, 31) + (codes[at + 2] ?? 0) → const first = Math.imul(codes[at] ?? 0, 31) + (codes[at - 2] ?? 0)',
      'src/stores/sqlite/text-difference.ts: const first = Math.imul(codes[at] ?? 0, 31) + (codes[at + 2] ?? 0) → const first = Math.imul(codes[at] ?? 1, 31) + (codes[at + 2] ?? 0)',
      'src/stores/sqlite/text-difference.ts: const hashedLength = 8 → const hashedLength = (7)',
      'src/stores/sqlite/text-difference.ts: const second = Math.imul(codes[at + 5] ?? 0, 31) + (codes[at + 7] ?? 0) → const second = Math.imul(codes[at + 5] ?? 0, 31) + (codes[at + 7] ?? 1)',
      'src/stores/sqlite/text-difference.ts: let hashed = 0 → let hashed = 1',
      'src/stores/sqlite/text-difference.ts: while (at + hashedLength <= length) { → while (at + hashedLength < length) {',
      'src/stores/sqlite/text-difference.ts: while (at + hashedLength <= length) { → while (at - hashedLength <= length) {',
    ],
  },
  {
    reason: 'How long is waited before something is tried again, a millisecond or a factor more or less.',
    mutants: [
      'src/runtime/drive.ts: const waitMs = Math.min(10 * 2 ** attempt, 1000) → const waitMs = Math.min(10 * 3 ** attempt, 1000)',
      'src/runtime/drive.ts: const waitMs = Math.min(10 * 2 ** attempt, 1000) → const waitMs = Math.min(11 * 2 ** attempt, 1000)',
      'src/stores/sqlite/open.ts: Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) → Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 5)',
      'src/stores/sqlite/sqlite-store.ts: await new Promise((resolve) => setTimeout(resolve, 20)) → await new Promise((resolve) => setTimeout(resolve, 21))',
    ],
  },
  {
    reason: 'A defect of the engine that no caller can bring about; it is there for the compiler.',
    mutants: [
      "src/agent/fork-run.ts: throw new StoreError('run_unknown', `Run \"${record.id}\" has no checkpoint ${version}. List them with history().`) → throw new StoreError('run_unknown', ``)",
      'src/effects/call-model.ts: if (model === undefined) throw new Error(`No model ${input.modelIndex} is configured.`) → if (model === undefined) throw new Error(``)',
      "src/runtime/drive.ts: if (this.#loaded === undefined) throw new EngineError('A run was driven before it was loaded.') → if (this.#loaded === undefined) throw new EngineError('')",
    ],
  },
  {
    reason: 'A bound of fifty million characters or bytes, one more or less.',
    mutants: [
      'src/effects/call-model.ts: let length = 0 → let length = 1',
      "src/effects/tool-result.ts: return typeof value !== 'string' && jsonBytes(result) > maxJsonBytes → return typeof value !== 'string' && jsonBytes(result) >= maxJsonBytes",
    ],
  },
  {
    reason: 'The time of a message that is never stored, and that no model is sent.',
    mutants: [
      "src/domain/call.ts: return resultMessage(call, text, 'success', 0) → return resultMessage(call, text, 'success', (-1))",
      'src/effects/call-model.ts: if (isFinishing) messages.push(userMessage(finishText, messages.at(-1)?.timestamp ?? 0)) → if (isFinishing) messages.push(userMessage(finishText, messages.at(-1)?.timestamp ?? (-1)))',
    ],
  },
  {
    reason: 'Which of two ways keeps a checkpoint, at the very length where both are worth as much.',
    mutants: [
      'src/stores/sqlite/checkpoint-documents.ts: if (text.length < (document.length * 2) / 3) return { text, chain: { recent, distance } } → if (text.length < (document.length * 2) / (2)) return { text, chain: { recent, distance } }',
      'src/stores/sqlite/checkpoint-documents.ts: if (text.length < (document.length * 2) / 3) return { text, chain: { recent, distance } } → if (text.length <= (document.length * 2) / 3) return { text, chain: { recent, distance } }',
    ],
  },
  {
    reason: 'A defence in depth of SQLite itself: no schema of ours calls functions.',
    mutants: ["src/stores/sqlite/open.ts: database.exec('PRAGMA trusted_schema = OFF') → ;"],
  },
  {
    reason: 'What is kept longer is not asked for anything again.',
    mutants: ['src/runtime/outbox-by-system.ts: this.#next = undefined → ;'],
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
