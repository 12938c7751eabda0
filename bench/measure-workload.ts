import { median, quietOf } from './median.ts'
import type { Place, Variant, Workload } from './workload.ts'

/** One line of a benchmark. */
export interface Measured {
  readonly workload: string
  readonly size: number
  readonly variant: string
  readonly subject: string
  readonly unit: string
  /** The middle figure of the rounds. */
  readonly median: number
  /** The figure that a tenth of the rounds reached: one that little else on the machine disturbed. */
  readonly quiet: number
  /** The middle of the ratios to the floor, each taken within one round; 1 for the floor itself. */
  readonly floorRatio: number
  /** The quiet figure over the floor's quiet one. */
  readonly quietRatio: number
  /** How the floor does the work. */
  readonly floor: string
}

/** Measures every subject of a workload in every round; `tell` hears how far it is. */
export async function measureWorkload(
  workload: Workload,
  place: Place,
  tell: (progress: string) => void,
): Promise<readonly Measured[]> {
  tell('warming up')
  await warmUp(workload, place)
  const series = workload.variants.flatMap((variant) => variant.sizes.map((size) => newSeries(variant, size)))
  for (let round = 0; round < workload.rounds; round++) {
    tell(`round ${round + 1} of ${workload.rounds}`)
    for (const one of series) {
      // The first round fills the stores, which may take long.
      if (round === 0) tell(`${one.variant.name} at ${one.size}`)
      await playRound(one, place, round)
    }
  }
  return series.flatMap((one) => summarise(workload, one))
}

async function warmUp({ warmUp: warming, variants }: Workload, place: Place): Promise<void> {
  if (warming === undefined) return
  for (let time = 0; time < warming.times; time++) {
    for (const { subjects, warmsUp = true } of variants) {
      if (!warmsUp) continue
      for (const measure of Object.values(subjects)) await measure(warming.size, place)
    }
  }
}

/** Figures of one variant at one size: by subject, one a round. */
interface Series {
  readonly variant: Variant
  readonly size: number
  readonly figures: ReadonlyMap<string, number[]>
}

function newSeries(variant: Variant, size: number): Series {
  return { variant, size, figures: new Map(Object.keys(variant.subjects).map((subject) => [subject, []])) }
}

/** Every second round goes backwards, so that no subject always comes after the same one. */
async function playRound({ variant, size, figures }: Series, place: Place, round: number): Promise<void> {
  const subjects = Object.entries(variant.subjects)
  for (const [subject, measure] of round % 2 === 0 ? subjects : subjects.toReversed()) {
    figures.get(subject)?.push(await measure(size, place))
  }
}

function summarise({ name, unit, better, floor }: Workload, { variant, size, figures }: Series): readonly Measured[] {
  const floors = figures.get('floor') ?? []
  return [...figures].map(([subject, values]) => ({
    workload: name,
    size,
    variant: variant.name,
    subject,
    unit,
    median: median(values),
    quiet: quietOf(values, better),
    floorRatio: median(values.map((value, round) => value / (floors[round] ?? Number.NaN))),
    quietRatio: quietOf(values, better) / quietOf(floors, better),
    floor: variant.floor ?? floor,
  }))
}
