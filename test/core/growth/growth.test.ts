import { expect, test } from 'vitest'
import type { Store } from '../../../src/core/ports/store.ts'
import { createAgent, pruneRuns, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sayNoPostgres } from '../../../proof/support/postgres-server.ts'
import { createDriver } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { type CountedStore, countedStores, type Counts } from './counted-stores.ts'
import { takeItems } from '../../../src/core/domain/outgoing.ts'
import { listSessions } from '../../../src/core/driving/find-sessions.ts'

sayNoPostgres('tests of growing costs on Postgres are')

const few = 6
const growth = 10
/** Costs up to this number are no growth: the planner of a server may read a row of its own. */
const slack = 8
/** Part by which costs may grow more than what is given. */
const tolerance = 1.25

/** Something whose result is as large as what was prepared. */
interface Work {
  readonly prepare: (store: Store, count: number) => Promise<unknown>
  readonly act: (store: Store, count: number) => Promise<unknown>
  /** Kinds of cost that grow more. */
  readonly apart?: readonly string[]
  /** The only store of which costs are compared. Default: all. */
  readonly on?: string
  /** True if the result is the same beside many other runs. */
  readonly isConstant?: boolean
}

function agentOf(store: Store, count: number) {
  const replies = Array.from({ length: count }, (_, turn) => ({ text: `a${turn}` }))
  return createAgent({ name: 'guide', model: scripted(replies), store })
}

const talkOf = (store: Store, count = 1) => agentOf(store, count).session('talk')
type Talk = ReturnType<typeof talkOf>

/** Asks in a session, so often. */
async function ask(store: Store, count: number, between = async (_: Talk): Promise<unknown> => undefined) {
  const talk = talkOf(store, count)
  for (let turn = 0; turn < count; turn++) {
    await (await talk.prompt(`q${turn}`)).settled()
    await between(talk)
  }
}

/** An agent whose model makes so many calls at once, each of which needs an approval. */
function askingAgent(store: Store, count: number) {
  const asking = tool({
    name: 'ask',
    description: 'Asks',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => 'ok',
  })
  const toolCalls = Array.from({ length: count }, (_, place) => ({ name: 'ask', arguments: { place } }))
  return createAgent({ name: 'guide', model: scripted([{ toolCalls }]), tools: [asking], store })
}

const works: Record<string, Work> = {
  'the messages of a session that was compacted after each prompt': {
    prepare: (store, count) => ask(store, count, (talk) => talk.compact()),
    act: (store) => talkOf(store).messages({ limit: 1_000_000 }),
  },
  'approvals one by one in a round of many calls': {
    prepare: (store, count) => askingAgent(store, count).run('go', { runId: 'asking' }),
    act: async (store, count) => {
      const run = await askingAgent(store, count).load('asking')
      for (const { callId } of (await run.result()).suspended ?? []) await run.approve(callId)
    },
    // Each call is looked for among the rows of the run, and the answer that made it is read whole.
    apart: ['characters'],
    on: 'SQLite',
  },
  'a list of what waits beside runs that are done': {
    prepare: (store, count) => ask(store, count),
    act: (store) => store.suspended(),
    isConstant: true,
  },
  'the deletion of the runs of a session, newest first': {
    prepare: (store, count) => ask(store, count),
    act: (store) => pruneRuns(store, { before: Number.MAX_SAFE_INTEGER }),
  },
}

/** Stores so many runs of an agent that wait, with timers that are due. */
async function wait(store: Store, count: number): Promise<void> {
  for (let place = 0; place < count; place++) {
    const driver = await createDriver(store, `waiting-${place}`)
    await driver.commit({ status: 'waiting', timers: [{ key: 'expiry', due: 1 + place }], release: true })
  }
}

/** Each asks a store that holds so many runs of nothing but others. */
const questions: Record<string, Work['act']> = {
  'the runs of a label': (store) => store.list({ labels: { team: 'one' } }),
  'the runs of a session': (store) => store.list({ session: 'other' }),
  'the sessions of a user': (store) => listSessions(store, { subject: 'ann' }),
  'the runs to prune': (store) => store.list({ status: 'done', updatedBefore: 1 }),
  'what a worker finds': (store) => store.backlog({ agents: ['other'], now: Date.now(), limit: 10 }),
  'the next timer of an agent': (store) => store.nextDue(['other']),
  'what is to leave': (store) => store.change(takeItems({ kinds: ['event'], now: Date.now(), limit: 10, holdMs: 1 })),
}

async function costOf({ prepare, act }: Work, { make }: CountedStore, count: number): Promise<Counts> {
  const { open, counts } = await make()
  const counted = async (work: Work['act']) => {
    const store = open()
    await work(store, count)
    await store.close()
    return counts()
  }
  const before = await counted(prepare)
  const after = await counted(act)
  return Object.fromEntries(Object.entries(after).map(([kind, cost]) => [kind, cost - (before[kind] ?? 0)]))
}

const asked = Object.entries(questions).map(([what, act]): [string, Work] => [
  `${what} beside others`,
  {
    prepare: async (store, count) => {
      await ask(store, count)
      await wait(store, count)
    },
    act,
    isConstant: true,
  },
])

test.for(
  [...Object.entries(works), ...asked].flatMap(([what, work]) =>
    countedStores
      .filter(({ name }) => (work.on ?? name) === name)
      .map((store) => ({ what, work, store, on: store.name })),
  ),
)(
  'SCALE-01 $on: the cost of $what grows in proportion to its result',
  { timeout: 120_000 },
  async ({ work, store }) => {
    const small = await costOf(work, store, few)
    const large = await costOf(work, store, few * growth)
    const grown = Object.entries(large).map(([kind, cost]) => [kind, cost / (small[kind] ?? 0)] as const)
    const counted = grown.filter(([kind]) => work.apart?.includes(kind) !== true && (large[kind] ?? 0) > slack)
    const most = work.isConstant === true ? 1 : growth * tolerance
    expect(counted.filter(([, by]) => by > most)).toEqual([])
  },
)
