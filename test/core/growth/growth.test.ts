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
const growth = 5
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

/** The costs of each of these acts on one store, in their order, after it was prepared. */
async function costsOf(
  prepare: Work['prepare'],
  acts: readonly Work['act'][],
  { make }: CountedStore,
  count: number,
): Promise<readonly Counts[]> {
  const { open, counts } = await make()
  const counted = async (work: Work['act']) => {
    const store = open()
    await work(store, count)
    await store.close()
    return counts()
  }
  let before = await counted(prepare)
  const costs: Counts[] = []
  for (const act of acts) {
    const after = await counted(act)
    const start = before
    costs.push(Object.fromEntries(Object.entries(after).map(([kind, cost]) => [kind, cost - (start[kind] ?? 0)])))
    before = after
  }
  return costs
}

/** The kinds of cost that grew by more than that, and by how much. */
function grownBeyond(most: number, small: Counts | undefined, large: Counts, apart: readonly string[] = []) {
  const counted = Object.entries(large).filter(([kind, cost]) => !apart.includes(kind) && cost > slack)
  return counted.map(([kind, cost]) => [kind, cost / (small?.[kind] ?? 0)] as const).filter(([, by]) => by > most)
}

test.for(
  Object.entries(works).flatMap(([what, work]) =>
    countedStores
      .filter(({ name }) => (work.on ?? name) === name)
      .map((store) => ({ what, work, store, on: store.name })),
  ),
)(
  'SCALE-01 $on: the cost of $what grows in proportion to its result',
  { timeout: 120_000 },
  async ({ work: { prepare, act, apart, isConstant }, store }) => {
    const [small] = await costsOf(prepare, [act], store, few)
    const [large = {}] = await costsOf(prepare, [act], store, few * growth)
    expect(grownBeyond(isConstant === true ? 1 : growth * tolerance, small, large, apart)).toEqual([])
  },
)

test.for(countedStores.map((store) => ({ store, on: store.name })))(
  'SCALE-01 $on: the cost of asking for what is none of theirs stays the same beside many runs',
  { timeout: 120_000 },
  async ({ store }) => {
    const prepare: Work['prepare'] = async (under, count) => {
      await ask(under, count)
      await wait(under, count)
    }
    const acts = Object.values(questions)
    const small = await costsOf(prepare, acts, store, few)
    const large = await costsOf(prepare, acts, store, few * growth)
    const grown = Object.keys(questions).map((what, at) => [what, grownBeyond(1, small[at], large[at] ?? {})])
    expect(grown.filter(([, by]) => by?.length !== 0)).toEqual([])
  },
)
