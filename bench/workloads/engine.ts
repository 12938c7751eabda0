import type { Commit } from '../../src/core/ports/store.ts'
import { type StepPlace, stepPlaces } from '../engine-places.ts'
import { median, percentileOf } from '../median.ts'
import { recordedRun } from '../recorded-run.ts'
import { startWatch } from '../stopwatch.ts'
import type { Measure, Place, Variant, Workload } from '../workload.ts'

const runsEach = 4
const atOnce = 4
const longest = 200
let runs = 0

type Keep = (id: string, turns: number, told: (us: number) => void) => Promise<void>
/** The writes of our run, or the bare ones of the same texts. */
type Way = (place: StepPlace) => Keep

/**
 * The durable steps of runs on each engine: our commits of a run of so many turns, beside bare steps that keep the same
 * texts. The figures are of one step, of a run while 4 are under way, of its processor time in our process and the engine's,
 * and of a step of longer runs.
 */
export const engine: Workload = {
  name: 'engine',
  unit: 'µs',
  floor:
    'a step that keeps the text of the same commit: one INSERT; on Restate one exclusive handler that reads one key, writes two and sends one message; in a Durable Object one read, one INSERT and an alarm.',
  rounds: 3,
  warmUp: { size: 10, times: 1 },
  variants: Object.keys(stepPlaces).flatMap((kind): Variant[] => [
    variant(
      `${kind} p50`,
      [10],
      (way) => async (turns, place) => percentileOf(await times(kind, place, way, turns), 0.5),
    ),
    variant(
      `${kind} p99`,
      [10],
      (way) => async (turns, place) => percentileOf(await times(kind, place, way, turns), 0.99),
    ),
    variant(
      `${kind} of runs`,
      [10, longest],
      // As many steps of short runs as of a long one.
      (way) => async (turns, place) => median(await times(kind, place, way, turns, longest / turns)),
    ),
    variant(`${kind} run`, [10], (way) => async (turns, place) => (await together(kind, place, way, turns)).passing),
    variant(`${kind} CPU`, [10], (way) => async (turns, place) => (await together(kind, place, way, turns)).processor),
  ]),
}

function variant(name: string, sizes: readonly number[], measure: (way: Way) => Measure): Variant {
  return { name, sizes, warmsUp: name.endsWith('p50'), subjects: { floor: measure(bare), statewright: measure(ours) } }
}

function ours(place: StepPlace): Keep {
  return async (id, turns, told) => {
    const run = await recordedRun(turns, id)
    const step = await place.begin(run)
    await each(run.commits, step, told)
  }
}

function bare(place: StepPlace): Keep {
  return async (id, turns, told) => {
    const { commits } = await recordedRun(turns, id)
    let seq = 0
    await each(commits, async (commit) => place.bare(id, ++seq, commit), told)
  }
}

async function each(
  commits: readonly Commit[],
  step: (commit: Commit) => Promise<unknown>,
  told: (us: number) => void,
): Promise<void> {
  for (const commit of commits) {
    const read = startWatch('passing')
    await step(commit)
    told(read())
  }
}

const places = new Map<string, Promise<StepPlace>>()

async function placeOf(kind: string, place: Place): Promise<StepPlace> {
  const start = stepPlaces[kind]
  if (start === undefined) throw new Error(`${kind} is not installed.`)
  const known = places.get(kind) ?? start(place)
  places.set(kind, known)
  return known
}

/** Microseconds of each step, of runs one after the other. */
async function times(
  kind: string,
  place: Place,
  way: Way,
  turns: number,
  count = runsEach,
): Promise<readonly number[]> {
  const keep = way(await placeOf(kind, place))
  const found: number[] = []
  for (let run = 0; run < count; run++) await keep(`run-${process.pid}-${runs++}`, turns, (us) => found.push(us))
  return found
}

/** Microseconds a run, of runs of which several are under way. */
async function together(kind: string, place: Place, way: Way, turns: number) {
  const engineOf = await placeOf(kind, place)
  const keep = way(engineOf)
  const count = atOnce * 2
  let left = count
  const playOn = async () => {
    while (left-- > 0) await keep(`run-${process.pid}-${runs++}`, turns, () => undefined)
  }
  const before = engineOf.cpu()
  const [passing, processor] = [startWatch('passing'), startWatch('processor')]
  await Promise.all(Array.from({ length: atOnce }, playOn))
  return { passing: passing() / count, processor: (processor() + engineOf.cpu() - before) / count }
}
