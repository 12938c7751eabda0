import type { Interpreter } from '../../src/core/step/steps-of.ts'
import { configurations } from '../../src/testing/charts/configurations.ts'
import { mutants } from './all-mutants.ts'
import type { Leg, Relevant, Verdict } from './judge-mutant.ts'
import type { Mutant } from './list-mutants.ts'
import { type Reach, stateKey, transitionKey } from './record-reach.ts'
import { WorkerPool } from '../support/worker-pool.ts'
import type { Task } from './worker.ts'

/** A mutant with what became of it. */
export interface Judged {
  readonly mutant: Mutant
  readonly verdict: Verdict
}

/** Returns threads that explore and judge, given up after five minutes with a task. */
export function mutantPool(width: number): WorkerPool<Task> {
  const program = new URL('worker.ts', import.meta.url)
  return new WorkerPool({ program, width, resourceLimits: { maxOldGenerationSizeMb: 1500 }, patienceMs: 300_000 })
}

/** Explores every configuration once on unchanged charts; throws where that finds anything. */
export async function recordReaches(pool: WorkerPool<Task>): Promise<readonly Reach[]> {
  const tasks = configurations.map((_, configuration) => ({ kind: 'reach' as const, configuration }))
  const reaches = await pool.perform<Reach>(tasks, (_, why) => {
    throw new Error(`The exploration of unchanged charts was given up: ${why}`)
  })
  const found = reaches.flatMap(({ findings }) => findings)
  if (found.length > 0) throw new Error(`Unchanged charts break rules: ${found.join('; ')}`)
  return reaches
}

/** Judges mutants, in the order given. */
export async function judgeMutants(
  pool: WorkerPool<Task>,
  chosen: readonly Mutant[],
  reaches: readonly Reach[],
  interpreter: Interpreter | 'both',
  done: (judged: Judged) => void = () => {},
): Promise<readonly Judged[]> {
  const tasks = chosen.map((mutant) => ({
    kind: 'mutant' as const,
    mutant: mutants.indexOf(mutant),
    relevant: relevantTo(mutant, reaches),
    interpreter,
  }))
  const judged = (verdict: Verdict, position: number): readonly Judged[] => {
    const mutant = chosen[position]
    return mutant === undefined ? [] : [{ mutant, verdict }]
  }
  const verdicts = await pool.perform<Verdict>(
    tasks,
    (_, why) => ({ by: 'hang', what: why }),
    (verdict, position) => judged(verdict, position).forEach(done),
  )
  return verdicts.flatMap(judged)
}

/** Moves of an exploration that cost about as much as all scenarios together. */
const scenarioMoves = 400

/** Configurations that come to the mutated place, cheapest first; those that take the transition before the others. */
function relevantTo({ chart, operator, place }: Mutant, reaches: readonly Reach[]): Relevant {
  const takes = ({ transitions }: Reach) =>
    place.event !== undefined && transitions.includes(transitionKey(chart, place))
  const enters = ({ states }: Reach) => states.includes(stateKey(chart, place.state))
  const byMoves = reaches.toSorted((left, right) => left.moves - right.moves)
  const first = byMoves.filter(takes)
  const isAboutTaking = place.event !== undefined && actsWhereTaken.includes(operator)
  const rest = isAboutTaking ? [] : byMoves.filter((reach) => enters(reach) && !takes(reach))
  const ordered = [...first, ...rest]
  const isCheap = ({ moves }: Reach) => moves < scenarioMoves
  const legs = (list: readonly Reach[]) => list.map(legOf)
  return { cheap: legs(ordered.filter(isCheap)), dear: legs(ordered.filter((reach) => !isCheap(reach))) }
}

/** A chart that makes ten times the moves of the unchanged one, and some, counts without end. */
function legOf({ configuration, moves }: Reach): Leg {
  return { configuration, limit: 1_000 + 10 * moves }
}

/** Changes that show only where their transition is taken. */
const actsWhereTaken: readonly string[] = ['transition dropped', 'target changed', 'action removed']
