import type { Store } from '../../ports/store.ts'
import type { CommittedLog } from './committed-log.ts'

/** One place at which a process dies: before or after its write of that number, counted from 1. */
export interface CrashPoint {
  readonly write: number
  readonly side: 'before' | 'after'
}

/** One process of the walk: its store calls work until it dies, and are refused from then on. */
export class MortalProcess {
  readonly #point: CrashPoint | undefined
  #writes = 0
  #isDead = false

  constructor(point: CrashPoint | undefined) {
    this.#point = point
  }

  get isDead(): boolean {
    return this.#isDead
  }

  /** Writes begun so far. */
  get writes(): number {
    return this.#writes
  }

  /** Throws where this process has died: whatever it still does reaches nothing. */
  check(): void {
    if (this.#isDead) throw new Death()
  }

  async read<Result>(read: () => Promise<Result>): Promise<Result> {
    this.check()
    const result = await read()
    this.check()
    return result
  }

  async write<Result>(write: () => Promise<Result>, landed: (result: Result) => void = () => {}): Promise<Result> {
    this.check()
    const number = ++this.#writes
    if (this.#diesAt(number, 'before')) this.#die()
    const result = await write()
    landed(result)
    if (this.#diesAt(number, 'after')) this.#die()
    this.check()
    return result
  }

  #diesAt(write: number, side: CrashPoint['side']): boolean {
    return this.#point?.write === write && this.#point.side === side
  }

  #die(): never {
    this.#isDead = true
    throw new Death()
  }
}

/** What a dead process's calls come to; never seen outside the walk. */
class Death extends Error {
  override readonly name = 'Death'

  constructor() {
    super('This process has died.')
  }
}

/** The store as one process sees it; what lands is noted in the log of what is committed. */
export function mortalStore(store: Store, mortal: MortalProcess, log: CommittedLog): Store {
  const read = mortal.read.bind(mortal)
  const write = mortal.write.bind(mortal)
  return {
    create: (run, owner, ttlMs, first) =>
      write(
        () => store.create(run, owner, ttlMs, first),
        () => {
          log.take()
          if (first !== undefined) log.add(first)
        },
      ),
    claim: (runId, owner, ttlMs, now) =>
      write(
        () => store.claim(runId, owner, ttlMs, now),
        () => log.take(),
      ),
    release: (lease) =>
      write(
        () => store.release(lease),
        () => log.giveBack(),
      ),
    renew: (lease, ttlMs, now) => read(() => store.renew(lease, ttlMs, now)),
    commit: (commit) =>
      write(
        () => store.commit(commit),
        (receipt) => 'version' in receipt && log.add(commit),
      ),
    decide: (runId, decisions, now) => write(() => store.decide(runId, decisions, now)),
    post: (runId, item, now) => write(() => store.post(runId, item, now)),
    delete: (runId, now) => write(() => store.delete(runId, now)),
    inbox: (runId, after) => read(() => store.inbox(runId, after)),
    decision: (runId, decisionId) => read(() => store.decision(runId, decisionId)),
    decisions: (runId) => read(() => store.decisions(runId)),
    watch: (runId, changed) => store.watch(runId, () => mortal.isDead || changed()),
    read: (runId) => read(() => store.read(runId)),
    record: (runId) => read(() => store.record(runId)),
    calls: (runId) => read(() => store.calls(runId)),
    list: (filter) => read(() => store.list(filter)),
    checkpoints: (runId) => read(() => store.checkpoints(runId)),
    checkpoint: (runId, version) => read(() => store.checkpoint(runId, version)),
    due: (now) => read(() => store.due(now)),
    close: () => store.close(),
  }
}
