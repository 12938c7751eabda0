import type { InspectionEvent } from 'xstate'
import { StoreError } from '../../core/domain/store-error.ts'
import { UsageError } from '../../core/domain/text/usage-error.ts'
import type { Store } from '../../core/ports/store.ts'
import { type ChartEdge, edgeId, edgesOf } from '../charts/chart-edges.ts'
import { loadGraph } from '../charts/load-graph.ts'
import { type ChartName, chartNames, configOf, machinesAsTheyAre } from '../charts/machines-under-test.ts'
import { coverTransitions, takenIn, wordsOf } from '../charts/transition-coverage.ts'
import { configurationsOf, planScript } from '../paths/agent-configurations.ts'
import { agentFrom, type AgentSource, scriptsOf } from '../paths/agent-under-test.ts'
import { maxStates } from '../paths/describe-paths.ts'
import { checkGiven } from './check-given.ts'
import { readRun } from './read-recording.ts'
import { replayed } from './what-if.ts'

/** One transition of a chart, with the stored runs that take it. */
export interface CoveredTransition {
  readonly chart: string
  /** `running.turn.checkingLimits, always [reachesLimit(stop)] → resumeGate`. */
  readonly words: string
  /** Paths of its source and its targets, such as `running.turn`; empty for the root, and without a target. */
  readonly from: string
  readonly to: readonly string[]
  /** The number of runs that walk it. */
  readonly runs: number
  /** The newest of these runs; absent without any. */
  readonly runId?: string
  /** True if a test of `describePaths` takes it. */
  readonly isTested: boolean
}

/** The transitions that the runs of a store take. */
export interface RunsCoverage {
  /** The number of runs that were stepped. */
  readonly runs: number
  readonly transitions: readonly CoveredTransition[]
  /** The runs that could not be stepped, with the reason. */
  readonly left: readonly { readonly runId: string; readonly message: string }[]
}

/**
 * Counts the transitions that the stored runs of an agent took, and names those that no test of `describePaths` takes.
 * A log has no transitions, so each run that waits or is done is stepped again on its stored answers, as `whatIf` does,
 * without effects. Things that are not in a log are not counted: restarts after crashes, and whether messages and
 * decisions arrived during a call. Rejects with a `UsageError` `package_missing` without `@xstate/graph`.
 */
export async function coverage(
  source: AgentSource,
  store: Store,
  { limit = 1000 }: { readonly limit?: number } = {},
): Promise<RunsCoverage> {
  checkGiven('coverage', source, store)
  const tested = await testedBy(source)
  const walked = new Map<string, string[]>()
  const left: { readonly runId: string; readonly message: string }[] = []
  let runs = 0
  for (const record of await store.list({ agent: agentFrom(source).name, limit })) {
    if ('status' in record && record.status === 'running') continue
    try {
      for (const edge of await edgesIn(source, store, record.id))
        walked.set(edge, [...(walked.get(edge) ?? []), record.id])
      runs++
    } catch (error) {
      if (!(error instanceof UsageError || error instanceof StoreError)) throw error
      left.push({ runId: record.id, message: error.message })
    }
  }
  const transitions = chartNames.flatMap((chart) =>
    edgesOf(chart, configOf(chart)).map((edge): CoveredTransition => {
      const own = walked.get(edgeId(edge)) ?? []
      const newest = own[0] === undefined ? {} : { runId: own[0] }
      const { from } = edge
      return {
        chart,
        words: wordsOf(edge),
        from,
        to: targetsOf(chart, edge),
        runs: own.length,
        ...newest,
        isTested: tested.has(edgeId(edge)),
      }
    }),
  )
  return { runs, transitions, left }
}

/** Returns the paths of the states that a transition leads to. */
function targetsOf(chart: ChartName, { from, event, index }: ChartEdge): readonly string[] {
  const machine = machinesAsTheyAre[chart]
  const source = from === '' ? machine.root : machine.getStateNodeById(`${machine.id}.${from}`)
  const list = event === '' ? source.always : source.transitions.get(event)
  return (list?.[index]?.target ?? []).map(({ path }) => path.join('.'))
}

async function edgesIn(source: AgentSource, store: Store, runId: string): Promise<ReadonlySet<string>> {
  const { recording } = await readRun(store, runId)
  const edges = new Set<string>()
  await replayed(source, recording, (event: InspectionEvent) => {
    if (event.type === '@xstate.microstep') for (const edge of takenIn(event)) edges.add(edge)
  })
  return edges
}

/** Returns the transitions on the paths that `describePaths` generates for an agent. */
async function testedBy(source: AgentSource): Promise<ReadonlySet<string>> {
  const agent = agentFrom(source)
  const scripts = await Promise.all(scriptsOf(agent).map((script) => planScript(agent, script)))
  const bounds = { limit: maxStates, isPartial: true, interpreter: 'tables' } as const
  const branches = coverTransitions(configurationsOf(agent, scripts), await loadGraph(), bounds)
  return new Set(branches.flatMap(({ name, path }) => (path === undefined ? [] : [name])))
}
