import assert from 'node:assert/strict'
import { type AgentCase, casesOf, casesOfGrants } from './agent-cases.ts'
import { configurationsOf, isGrantable, isRequested, planScript, type PlannedScript } from './agent-configurations.ts'
import {
  agentFrom,
  type AgentSource,
  type Script,
  scriptsOf,
  type TestedAgent,
  twice,
  wholeScript,
} from './agent-under-test.ts'
import { ownTools } from '../../core/agent/plan-turn.ts'
import { checkRunner } from './check-source.ts'
import type { Tool } from '../../core/ports/tool.ts'
import type { Toolset } from '../../core/ports/toolset.ts'
import type { Configuration, Move } from '../charts/exploration-types.ts'
import { nameOfMove } from '../charts/explore.ts'
import { loadGraph, type WalkGraph } from '../charts/load-graph.ts'
import { walkPath } from '../charts/paths.ts'
import { coverTransitions } from '../charts/transition-coverage.ts'
import { watched } from '../watchdog.ts'
import { walkCase } from './walk-case.ts'
import type { TestRunner } from './test-runner.ts'

/** The limit of states in one configuration's exploration. */
export const maxStates = 1000

/**
 * Generates named tests for an agent. Tests of its charts: for each configuration of its options, plugins and calls,
 * the shortest path to every reachable transition and guard answer. Each path is walked live and with a restore after
 * each event, and is checked by the oracle; `@xstate/graph` finds the paths. Tests of the agent: for each turn, each
 * outcome of its calls and each answer, a run through `createAgent` with its own plugins, schemas and policy. The run
 * is stopped before and after each write and restored. The runs come from these combinations and not from the paths,
 * because many paths look the same from outside. Rejects with a `UsageError`: `package_missing` without
 * `@xstate/graph`, and `bad_option` without a test runner and for an unknown name in `mustAsk`, `samples` or
 * `standIns`.
 *
 * @example
 * await describePaths({ name: 'clerk', tools: [send], plugins: [audit] }, { describe, test })
 */
export async function describePaths<const List extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[]>(
  source: AgentSource<List>,
  runner: TestRunner,
): Promise<void>
/** The overload for options whose tools the compiler does not know. */
export async function describePaths(source: AgentSource, runner: TestRunner): Promise<void> {
  checkRunner(runner)
  const { describe, test } = runner
  const walkGraph = await loadGraph()
  const agent = agentFrom(source)
  const plan = (script: Script) => watched(`the calls of ${script.name}`, () => planScript(agent, script))
  const scripts: PlannedScript[] = []
  for (const script of scriptsOf(agent)) scripts.push(await plan(script))
  const repeated: PlannedScript[] = []
  for (const alone of scripts.filter((one) => isGrantedAlone(agent, one))) repeated.push(await plan(twice(alone)))
  const whole = wholeScript(scripts)
  const configurations = configurationsOf(agent, scripts)
  const planned = whole === undefined ? undefined : await plan(whole)
  const suites = [
    ...scripts.map((script) => [script.name, casesOf(agent, script)] as const),
    ...repeated.map((script) => [script.name, casesOfGrants(agent, script)] as const),
    ...(planned === undefined ? [] : [[planned.name, wholeCases(planned)] as const]),
  ]
  describe(`paths of agent "${agent.name}"`, () => {
    for (const script of scripts) {
      test(`the calls of ${script.name} fit the tools`, async () => assert.deepEqual(misfitsOf(script), []))
    }
    for (const [configuration, paths] of pathsOf(configurations, walkGraph)) {
      describe(`charts: ${configuration.name}`, () => {
        for (const path of paths) test(path.name, async () => checkPath(configuration, path))
      })
    }
    for (const [name, cases] of suites) {
      describe(`runs: ${name}`, () => {
        for (const item of cases) test(item.name, async () => checkCase(source, item))
      })
    }
  })
}

/** A path through the charts, with the transitions that it is the shortest path to. */
interface ChartPath {
  readonly name: string
  readonly moves: readonly Move[]
  readonly takes: readonly string[]
}

function pathsOf(
  configurations: readonly Configuration[],
  walkGraph: WalkGraph,
): ReadonlyMap<Configuration, readonly ChartPath[]> {
  const found = new Map(configurations.map((item) => [item, new Map<string, ChartPath>()] as const))
  const bounds = { limit: maxStates, isPartial: true, interpreter: 'tables' } as const
  for (const { chart, words, path } of coverTransitions(configurations, walkGraph, bounds)) {
    const configuration = configurations.find(({ name }) => name === path?.configuration)
    const own = configuration && found.get(configuration)
    if (path === undefined || own === undefined) continue
    const name = path.moves.map(nameOfMove).join(', ') || 'start'
    const takes = [...(own.get(name)?.takes ?? []), `${chart}: ${words}`]
    own.set(name, { name, moves: path.moves, takes })
  }
  return new Map([...found].flatMap(([item, own]) => (own.size === 0 ? [] : [[item, [...own.values()]] as const])))
}

function checkPath(configuration: Configuration, { moves, takes }: ChartPath): void {
  const live = walkPath({ configuration, moves, restores: false })
  const restored = walkPath({ configuration, moves, restores: true })
  const path = live.moves.map(nameOfMove).join(', ')
  const about = `\nThe path, up to its rest: ${path}\nIt takes:\n- ${takes.join('\n- ')}`
  const broken = [...live.breaches, ...restored.breaches].map(({ invariant, what }) => `${invariant}: ${what}`)
  assert.ok(broken.length === 0, `Rules are broken:\n- ${broken.join('\n- ')}${about}`)
  assert.deepEqual(restored, live, `Restored after each event, the run came out otherwise.${about}`)
}

async function checkCase(source: AgentSource, item: AgentCase): Promise<void> {
  const problems = await walkCase(source, item)
  assert.ok(problems.length === 0, `${item.script.name}; ${item.name}\n- ${problems.join('\n- ')}`)
}

/** Returns the calls that the agent would reject without running anything. */
function misfitsOf({ plans }: PlannedScript): readonly string[] {
  return plans
    .flat()
    .filter((plan) => !isRequested(plan))
    .flatMap(({ callId, verdict }) => (verdict.kind === 'refused' ? [`${callId}: ${verdict.text ?? 'refused'}`] : []))
}

/**
 * Returns true for a script with one call that a person must approve, so that the answer may count for similar calls.
 * Each call of a service is answered separately.
 */
function isGrantedAlone(agent: TestedAgent, { plans, turns }: PlannedScript): boolean {
  const [plan, ...others] = plans.flat()
  const tool = ownTools(agent).find(({ name }) => name === turns.flat()[0]?.name)
  return plan !== undefined && others.length === 0 && isGrantable(plan) && tool?.service === undefined
}

/** Returns the cases of the run with every turn: all calls succeed, and all questions get the same answer. */
function wholeCases(script: PlannedScript): readonly AgentCase[] {
  return (['yes', 'no'] as const).map((answer) => ({
    name: `every call succeeds; asked: ${answer}`,
    script,
    outcomes: new Map(),
    answers: [answer],
  }))
}
