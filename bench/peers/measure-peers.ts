import { median, quietOf } from '../median.ts'
import type { Measured } from '../measure-workload.ts'
import type { SubjectProcess } from '../subject-process.ts'
import type { Asked } from './play-subject.ts'
import type { Workload } from './workloads.ts'

/** One line of the comparison. */
export interface PeerMeasured extends Measured {
  /** The middle of the ratios to the AI SDK, each taken within one round. */
  readonly peerRatio: number
  /** The quiet figure over the AI SDK's quiet one. */
  readonly quietPeerRatio: number
}

/** Figures of one round, by subject. */
type Round = ReadonlyMap<string, number>

/** Every subject at every size, in turns; `tell` hears how far it is. */
export async function measurePeers(
  workload: Workload,
  subjects: readonly SubjectProcess<Asked>[],
  tell: (progress: string) => void,
): Promise<readonly PeerMeasured[]> {
  const { name, sizes, warmUp, rounds } = workload
  tell('warming up')
  for (const subject of subjects) {
    const end = performance.now() + 10_000
    for (let time = 0; time < warmUp.times && performance.now() < end; time++) {
      if ((await subject.measure({ workload: name, size: warmUp.size })) === undefined) break
    }
  }
  const played = new Map(sizes.map((size) => [size, [] as Round[]]))
  for (let round = 0; round < rounds; round++) {
    tell(`round ${round + 1} of ${rounds}`)
    const order = round % 2 === 0 ? subjects : subjects.toReversed()
    for (const [size, figures] of played) figures.push(await playRound(name, size, order))
  }
  return [...played].flatMap(([size, figures]) => summarise(workload, size, figures))
}

async function playRound(workload: string, size: number, subjects: readonly SubjectProcess<Asked>[]): Promise<Round> {
  const round = new Map<string, number>()
  for (const subject of subjects) {
    const figure = await subject.measure({ workload, size })
    if (figure !== undefined) round.set(subject.name, figure)
  }
  return round
}

function summarise({ name, unit, floor }: Workload, size: number, rounds: readonly Round[]): readonly PeerMeasured[] {
  const subjects = [...new Set(rounds.flatMap((round) => [...round.keys()]))]
  return subjects.map((subject) => {
    const figures = figuresOf(rounds, subject)
    return {
      workload: name,
      size,
      variant: ['durable', 'resume', 'freshProcess'].includes(name) ? 'normal' : 'memory',
      subject,
      unit,
      median: median(figures),
      quiet: quietOf(figures),
      floorRatio: ratio(rounds, subject, 'floor'),
      quietRatio: quietOf(figures) / quietOf(figuresOf(rounds, 'floor')),
      peerRatio: ratio(rounds, subject, 'ai-sdk'),
      quietPeerRatio: quietOf(figures) / quietOf(figuresOf(rounds, 'ai-sdk')),
      floor,
    }
  })
}

function figuresOf(rounds: readonly Round[], subject: string): readonly number[] {
  return rounds.flatMap((round) => round.get(subject) ?? [])
}

/** The middle of the ratios of the rounds in which both were measured. */
function ratio(rounds: readonly Round[], subject: string, base: string): number {
  const ratios = rounds.flatMap((round) => {
    const [above, below] = [round.get(subject), round.get(base)]
    return above === undefined || below === undefined ? [] : above / below
  })
  return median(ratios)
}
