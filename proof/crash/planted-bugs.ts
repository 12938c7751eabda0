import { randomUUID } from 'node:crypto'
import type { LogEntry } from '../../src/core/domain/log.ts'
import type { Commit, Store, StoredRun } from '../../src/core/ports/store.ts'
import type { CrashScenario } from '../../src/testing/crash/crash-scenario.ts'
import { mapTools } from '../../src/testing/crash/map-tools.ts'
import { markSent, type OutgoingRow } from '../../src/core/domain/outgoing.ts'
import { userMessage } from '../../src/core/domain/message.ts'

/** A store that writes a commit in two pieces: the log first, the state it belongs to after it. */
export function splittingCommits(store: Store): Store {
  let state: string | null = null
  return {
    ...store,
    async commit(commit) {
      const document = commit.document ?? checkpointOf(commit)
      if (commit.append.length === 0 || state === null) {
        state = document
        return store.commit(commit)
      }
      const log = commit.append.filter((entry) => entry.kind !== 'checkpoint')
      const first = { ...commit, append: log, document: state, calls: [], consumed: [], status: 'running' as const }
      const receipt = await store.commit({ ...withoutOutcome(first) })
      if ('refused' in receipt) return receipt
      state = document
      const rest = commit.append.filter((entry) => entry.kind === 'checkpoint')
      return store.commit({ ...commit, append: rest, expectedVersion: receipt.version })
    },
  }
}

function checkpointOf({ append }: Commit): string | null {
  return append.flatMap((entry) => (entry.kind === 'checkpoint' ? [entry.document] : [])).at(-1) ?? null
}

function withoutOutcome({ outcome: _, ...commit }: Commit): Commit {
  return commit
}

/** A store that creates a run and commits its start after it. */
export function creatingInTwo(store: Store): Store {
  return {
    ...store,
    async create(run, owner, ttlMs, first) {
      const lease = await store.create(run, owner, ttlMs)
      if (first === undefined) return lease
      const { posted, commit } = 'posted' in first ? first : { posted: [], commit: () => first }
      for (const { item, at } of posted) await store.post(run.id, item, at)
      const rows = await store.inbox(run.id, { isOpen: true })
      const begun = commit(rows.map(({ id }) => id))
      await store.commit({ ...begun, runId: run.id, owner: lease.owner.id, fence: lease.fence, expectedVersion: 0 })
      return lease
    },
  }
}

/** A store that renews every lease, whoever has taken it over. */
export function renewingAnything(store: Store): Store {
  return { ...store, renew: async () => {} }
}

/** A store that leaves a message with a run whenever it is forked. */
export function tellingTheOriginal(store: Store): Store {
  return {
    ...store,
    async create(run, ...given) {
      const { forkedFrom, at } = run
      if (forkedFrom !== undefined)
        await store.post(forkedFrom.runId, { kind: 'steer', messages: [userMessage('You were forked.', 1)] }, at)
      return store.create(run, ...given)
    },
  }
}

/** A store that creates a run without what it goes on with. */
export function forgettingTheReference(store: Store): Store {
  return { ...store, create: ({ continues: _, ...run }, ...given) => store.create(run, ...given) }
}

/** A store that deletes the run that another goes on from. */
export function forgettingTheOriginal(store: Store): Store {
  return {
    ...store,
    async create(run, ...given) {
      const lease = await store.create(run, ...given)
      const { parentRunId } = run.input as { readonly parentRunId?: string }
      if (parentRunId !== undefined) await store.delete(parentRunId)
      return lease
    },
  }
}

/** A store that says a commit is there before it is, so that what was only intended gets performed. */
export function acknowledgingEarly(store: Store): Store {
  let written: Promise<unknown> = Promise.resolve()
  return {
    ...store,
    async commit(commit) {
      const later = written.then(() => new Promise((resolve) => setImmediate(resolve)))
      written = later.then(() => store.commit(commit)).catch(() => undefined)
      return { version: commit.expectedVersion + 1 }
    },
    claim: (...given) => written.then(() => store.claim(...given)),
    read: (runId) => written.then(() => store.read(runId)),
    release: (lease) => written.then(() => store.release(lease)),
  }
}

/** A store that loses the intent to run a call: its row keeps the state it had. */
export function losingIntent(store: Store): Store {
  return {
    ...store,
    commit: (commit) =>
      store.commit({ ...commit, calls: commit.calls.filter(({ record }) => record.status !== 'running') }),
  }
}

/** A store that keeps a call's row without the steps its tool has finished. */
export function forgettingSteps(store: Store): Store {
  return {
    ...store,
    commit: (commit) => {
      const calls = commit.calls.map(({ record: { steps: _, ...record }, document }) => ({ record, document }))
      return store.commit({ ...commit, calls })
    },
  }
}

/** A store that takes a decision for stored and forgets it. */
export function forgettingDecisions(store: Store): Store {
  return {
    ...store,
    decide: async (_, decisions) => decisions.map(({ target }) => ({ target, answer: 'applied' })),
  }
}

/** Tools that make up a key for each performance, so that the outside cannot tell a repeat. */
export function withRandomKeys(scenario: CrashScenario): CrashScenario {
  return {
    ...scenario,
    name: `${scenario.name}, random keys`,
    build: (environment) => {
      const options = scenario.build(environment)
      const tools = mapTools(options.tools ?? [], (tool) => ({
        ...tool,
        execute: (input, context) => tool.execute(input, { ...context, idempotencyKey: randomUUID() }),
      }))
      return { ...options, tools }
    },
  }
}

/** Tools that claim to be harmless to repeat and are not. */
export function claimingIdempotence(scenario: CrashScenario): CrashScenario {
  return {
    ...scenario,
    build: (environment) => {
      const options = scenario.build(environment)
      const tools = mapTools(options.tools ?? [], (tool) => ({ ...tool, effects: 'idempotent' }))
      return { ...options, tools }
    },
  }
}

/** A store that gives a run to the next process without what was said to it and waits to be taken in. */
export function forgettingQueue(store: Store): Store {
  const forgotten = ({ checkpoint, document, ...run }: StoredRun): StoredRun => ({
    ...run,
    checkpoint: checkpoint && { ...checkpoint, document: withoutQueue(checkpoint.document) },
    document: document === null ? null : withoutQueue(document),
  })
  return {
    ...store,
    read: async (runId) => forgotten(await store.read(runId)),
    claim: async (...claim) => {
      const { run, ...claimed } = await store.claim(...claim)
      return { ...claimed, run: forgotten(run) }
    },
  }
}

function withoutQueue(document: string): string {
  return JSON.stringify(JSON.parse(document, (key: string, value: unknown) => (key === 'queue' ? [] : value)))
}

/** A store that does not note, the first time, that a message was taken in: it is there to be taken in again. */
export function retellingMessages(store: Store): Store {
  let isRetold = false
  return {
    ...store,
    async commit(commit) {
      const rows = isRetold || commit.consumed.length === 0 ? [] : await store.inbox(commit.runId, { isOpen: true })
      const said = rows.filter(({ item }) => item.kind === 'steer' || item.kind === 'followUp').map(({ id }) => id)
      if (said.length === 0) return store.commit(commit)
      isRetold = true
      return store.commit({ ...commit, consumed: commit.consumed.filter(({ id }) => !said.includes(id)) })
    },
  }
}

/** A store that takes for sent what somebody has only begun to send. */
export function sendingEarly(store: Store): Store {
  return {
    ...store,
    async change(wanted) {
      const answer = await store.change(wanted)
      // Only what is taken is a list.
      for (const { key } of Array.isArray(answer) ? (answer as readonly OutgoingRow[]) : [])
        await store.change(markSent(key))
      return answer
    },
  }
}

/** A store that keeps another value in the place of a summary that was paid for. */
export function forgettingSummaries(store: Store): Store {
  const kept = (entry: LogEntry): LogEntry =>
    entry.kind === 'value' && entry.name === 'compaction' ? { ...entry, value: {} } : entry
  return { ...store, commit: (commit) => store.commit({ ...commit, append: commit.append.map(kept) }) }
}
