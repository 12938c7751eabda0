import { isRecord } from '../../core/domain/text/json.ts'
import type { Clock } from '../../core/ports/clock.ts'
import type { OutgoingRow } from '../../core/domain/outgoing.ts'
import { memoryStore } from '../../core/stores/memory/memory-store.ts'
import type { AgentCase, Answer } from './agent-cases.ts'
import type { AgentSource } from './agent-under-test.ts'
import { compareTrials } from '../crash/compare-trials.ts'
import { type CrashPoint, pointsUpTo } from '../crash/mortal-process.ts'
import { runTrial } from '../crash/crash-trial.ts'
import type { Trial } from '../crash/crash-scenario.ts'
import type { CrashProblem } from '../crash/crash-problem.ts'
import { caseScenario } from './case-scenario.ts'
import { listOutgoing } from '../../core/driving/list-outgoing.ts'

/** The number of problems after which a case ends, because further problems are repetitions. */
const enough = 5

/**
 * Plays a case through `createAgent`: once without a stop, and once stopped before and after each write of that run,
 * with another agent that continues from the store. Returns the problems and the points of the stops.
 */
export async function walkCase(source: AgentSource, item: AgentCase): Promise<readonly string[]> {
  const isAlone = item.script.turns.every((calls) => calls.length < 2)
  const problems: string[] = []
  for (const answer of item.answers) {
    const calm = await play(source, item, answer, [])
    const where = `asked: ${answer}, not stopped`
    problems.push(...told(calm.trial.problems, where))
    const failure = failureIn(calm.trial)
    if (failure !== undefined) problems.push(`${where}: failed: ${failure}`)
    // Nothing can be compared with a run that did not end.
    if (isStuck(calm.trial)) return problems.slice(0, enough)
    for (const point of pointsUpTo(calm.trial.writes[0] ?? 0)) {
      if (problems.length >= enough) return problems.slice(0, enough)
      const { trial, events } = await play(source, item, answer, [point])
      const found = [...compareTrials(calm.trial, trial), ...compareEvents(calm.events, events)]
      const isComparable = isAlone || trial.interruptions === 0
      const own = isComparable ? found : found.filter((problem) => isOwn(problem, trial))
      problems.push(...told(own, `asked: ${answer}, stopped ${point.side} write ${point.write}`))
      if (isStuck(trial)) return problems.slice(0, enough)
    }
    if (!calm.isAsked) break
  }
  return problems.slice(0, enough)
}

/** Returns true for a trial without an end; each such trial takes the full patience. */
function isStuck({ problems }: Trial): boolean {
  return problems.some(({ kind }) => kind === 'stuck')
}

/** Returns the error of the agent's own code that ended the run: a plugin, a hook, a filter or a builder. */
function failureIn({ ending }: Trial): string | undefined {
  const error = isRecord(ending) ? ending['error'] : undefined
  return isRecord(error) && error['code'] === 'effect_failed' ? String(error['message']) : undefined
}

async function play(source: AgentSource, item: AgentCase, answer: Answer, crashes: readonly CrashPoint[]) {
  let store = memoryStore()
  const { scenario, problems, wasAsked } = caseScenario(source, item, answer, () => store)
  let left: readonly OutgoingRow[] = []
  const storage = (clock: Pick<Clock, 'now'>) => {
    store = memoryStore({ clock })
    const dispose = async () => {
      left = await listOutgoing(store)
      await store.close()
    }
    return { reopen: async () => store, dispose }
  }
  const trial = await runTrial(scenario, { order: [], effectAt: 'end' }, crashes, { storage })
  const events = left.map(({ id, kind }) => `${kind} ${id}`)
  return { trial: { ...trial, problems: [...problems, ...trial.problems] }, events, isAsked: wasAsked() }
}

/** Compares the outgoing events: each event must leave with its commit, once. */
function compareEvents(calm: readonly string[], found: readonly string[]): readonly CrashProblem[] {
  const counted = (events: readonly string[], event: string) => events.filter((one) => one === event).length
  return [...new Set([...calm, ...found])].flatMap((event): readonly CrashProblem[] => {
    const [wanted, times] = [counted(calm, event), counted(found, event)]
    if (wanted === times) return []
    const message = `Event "${event}" left ${times} times; ${wanted} times without a stop.`
    return [{ kind: times > wanted ? 'doubled' : 'lost', message }]
  })
}

/** An interrupted call makes the run wait earlier, so the calls next to it may have other results. */
function isOwn(problem: CrashProblem, trial: Trial): boolean {
  return problem.kind === 'doubled' || trial.problems.includes(problem)
}

function told(problems: readonly CrashProblem[], where: string): string[] {
  return problems.map(({ kind, message }) => `${where}: ${kind}: ${message}`)
}
