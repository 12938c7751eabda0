import { isDeepStrictEqual } from 'node:util'
import { type Agent, createAgent, textOf, tool } from '../../src/index.ts'
import { thrownText } from '../../src/core/domain/text/thrown-text.ts'
import type { Run } from '../../src/core/agent/run.ts'
import type { RunResult } from '../../src/core/driving/run-result.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { type EnvironmentState, newEnvironmentState } from '../../src/testing/crash/crash-environment.ts'
import type { CrashProblem } from '../../src/testing/crash/crash-problem.ts'
import type { CrashFinding, CrashReport, CrashStorage } from '../../src/testing/crash/crash-scenario.ts'
import { type CrashPoint, MortalProcess, pointsUpTo } from '../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../src/testing/crash/mortal-store.ts'

/** A group to crash: how its waits are answered. */
export interface BranchScenario {
  readonly name: string
  /** The number of branches. */
  readonly size: number
  answer(group: Run, result: RunResult): Promise<unknown>
}

/** The groups of the walk. One branch writes, one pays after an approval, and one asks a sub-agent to write. */
export const branchScenarios: readonly BranchScenario[] = [
  {
    name: 'a group of three branches, one of which asks',
    size: 3,
    answer: async (group, { suspended }) => {
      for (const { callId } of suspended) await group.approve(callId)
    },
  },
  { name: 'a group that is cancelled', size: 2, answer: (group) => group.cancel('Enough.') },
]

const leaseMs = 1000
const mostWaits = 8
/** Longer than a lease, and than an outgoing item is reserved for a sender. */
const afterDeathMs = 10_001

/**
 * Plays a group once without a crash, and once for each chosen point before and after the writes of its process. The next
 * process takes the group up. Every trial must end alike, and each tool must have acted once.
 */
export async function walkBranches(
  scenario: BranchScenario,
  storage: (clock: EnvironmentState['clock']) => CrashStorage,
  choose = (points: readonly CrashPoint[]) => points,
): Promise<CrashReport> {
  const { name } = scenario
  const findings: CrashFinding[] = []
  const find = (problems: readonly CrashProblem[], crashes: readonly CrashPoint[]) =>
    findings.push(
      ...problems.map((problem) => ({
        ...problem,
        scenario: name,
        crashes,
        interleaving: { order: 'together', effectAt: 'end' } as const,
      })),
    )
  const calm = await play(scenario, storage)
  find(calm.problems, [])
  const points = choose(pointsUpTo(calm.writes))
  for (const point of points) {
    const crashed = await play(scenario, storage, point)
    find(crashed.problems, [point])
    const message = `${JSON.stringify(crashed.ending)}, not ${JSON.stringify(calm.ending)}`
    if (!isDeepStrictEqual(crashed.ending, calm.ending)) find([{ kind: 'lost', message }], [point])
  }
  const count = (kind: CrashProblem['kind']) => findings.filter((finding) => finding.kind === kind).length
  const [lost, doubled] = [count('lost'), count('doubled')]
  return { scenario: name, points: points.length, pairs: 0, stops: 0, takeovers: 0, lost, doubled, findings }
}

interface Played {
  readonly ending: unknown
  readonly problems: readonly CrashProblem[]
  readonly writes: number
}

async function play(
  scenario: BranchScenario,
  storage: (clock: EnvironmentState['clock']) => CrashStorage,
  point?: CrashPoint,
): Promise<Played> {
  const state = newEnvironmentState()
  const kept = storage(state.clock)
  const acted: string[] = []
  const problems: CrashProblem[] = []
  try {
    const mortal = new MortalProcess(point)
    await live(scenario, mortalStore(await kept.reopen(), mortal), state, acted).catch((error: unknown) => {
      if (!mortal.isDead) throw error
    })
    if (mortal.isDead) {
      state.clock.advance(afterDeathMs)
      await live(scenario, await kept.reopen(), state, acted).catch((error: unknown) => {
        problems.push({ kind: 'stuck', message: thrownText(error) })
      })
    }
    const doubled = acted.filter((call, place) => acted.indexOf(call) !== place)
    return {
      ending: await endingOf(await kept.reopen(), state, acted),
      problems: [...problems, ...doubled.map((message) => ({ kind: 'doubled' as const, message }))],
      writes: mortal.writes,
    }
  } finally {
    await kept.dispose()
  }
}

/** One process: begins the group or takes it up, and drives it to its end. */
async function live(scenario: BranchScenario, store: Store, state: EnvironmentState, acted: string[]): Promise<void> {
  const { host, agents: all } = agentsOn(store, state, acted)
  const agents = all.slice(0, scenario.size)
  const session = host.session('s')
  const before = await session.state()
  const strategy = { judge: saying('3') }
  if (before !== undefined && before.active === undefined) {
    // The group has ended, and the next group of a process with these agents delivers what it left.
    await host.session('stored').parallel(agents, { prompt: 'Go.', strategy, drive: false })
    const one = createAgent({ name: 'one', model: saying('One.') })
    await (await host.session('next').parallel([one], { prompt: 'Go.', strategy: 'transparent' })).settled()
    await endBranches(host, state)
    return
  }
  const group = await session.parallel(agents, { prompt: 'Go.', strategy, ifExists: 'attach' })
  for (let waits = 0; waits < mostWaits; waits++) {
    const result = await group.settled()
    if (result.status === 'done') return endBranches(host, state)
    // A request of the dead process may have reached the store after its death, with a lease of its own.
    if (result.suspended.length === 0) state.clock.advance(afterDeathMs)
    else if (!(await answerInterrupted(group, result, acted))) await scenario.answer(group, result)
  }
  throw new Error(`The group still waits after ${mostWaits} answers.`)
}

/** The cancel of a branch is stored with the end of the group; somebody drives the branch to its own end. */
async function endBranches(host: Agent, { clock }: EnvironmentState): Promise<void> {
  clock.advance(afterDeathMs)
  for (const id of ['s.a.1', 's.b.1']) await (await host.load(id)).settled()
}

async function answerInterrupted(group: Run, { suspended }: RunResult, acted: readonly string[]): Promise<boolean> {
  const interrupted = suspended.filter(({ suspension }) => suspension?.reason === 'interrupted')
  for (const { callId } of interrupted) {
    if (acted.includes(callId)) await group.respond(callId, 'Acted.')
    else await group.decide([{ target: callId, action: 'resume', mode: 'replay' }])
  }
  return interrupted.length > 0
}

const saying = (reply: ScriptedReply) => scripted(Array.from({ length: 9 }, () => reply))

function agentsOn(store: Store, { clock, ids }: EnvironmentState, acted: string[]) {
  const acting = (name: string, needs?: 'approval') =>
    tool({
      name,
      description: 'Acts.',
      input: { type: 'object' },
      ...(needs === undefined ? {} : { needs }),
      execute: (_, { runId, callId }) => {
        acted.push(`${runId}/${callId}`)
        return 'Acted.'
      },
    })
  const calling = (name: string, text: string) =>
    scripted([{ toolCalls: [{ id: 'c', name, arguments: { prompt: 'Go.' } }] }, text])
  const agent = (name: string, ...tools: Parameters<typeof createAgent>[0]['tools'] & object) =>
    createAgent({ name, configId: name, model: calling(tools[0]?.name ?? '', `${name}.`), tools })
  const helper = agent('helper', acting('write'))
  const agents = [
    agent('a', acting('write')),
    agent('b', acting('pay', 'approval')),
    agent('c', helper.asTool({ description: 'Helps.' })),
  ]
  const host = createAgent({ name: 'host', configId: 'w', model: saying('Next.'), store, clock, ids, leaseMs })
  return { host, agents }
}

/** Returns the group, its branches and the transcript of the session, after one more prompt. */
async function endingOf(store: Store, state: EnvironmentState, acted: readonly string[]): Promise<unknown> {
  const session = agentsOn(store, state, []).host.session('s')
  const stored = await session.state()
  if (stored?.active !== undefined) return stored.active
  const group = await store.record('s.parallel.1')
  const runs = await Promise.all(['s.a.1', 's.b.1', 's.c.1'].map((id) => store.record(id).catch(() => undefined)))
  await (await session.prompt('Next.')).settled()
  // A cancel may come before the branch that asks nothing has acted or ended.
  const mayDiffer = (id: string | undefined) => group.doneReason === 'cancelled' && id?.startsWith('s.a.1') === true
  return {
    runs: stored?.runs,
    counters: stored?.counters,
    group: [group.status, group.doneReason, group.error],
    branches: runs.map((run) => [run?.status, mayDiffer(run?.id) ? undefined : run?.doneReason]),
    messages: (await session.messages()).map(textOf),
    acted: new Set(acted.filter((call) => !mayDiffer(call))),
  }
}
