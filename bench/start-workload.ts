import { type Measured, measureWorkload } from './measure-workload.ts'
import type { Asked } from './play-subject.ts'
import { SubjectProcess } from './subject-process.ts'
import type { Measure, Workload } from './workload.ts'

/** How to play a workload otherwise than as it is. */
export interface PlayWish {
  readonly rounds?: number | undefined
  readonly size?: number | undefined
}

const program = new URL('play-subject.ts', import.meta.url)

/**
 * Plays one workload with each of its subjects in a process of its own, so that no figure depends on what another subject
 * has compiled or left behind; at most so many rounds where `rounds` is given, and at one `size` instead of its own.
 */
export async function startWorkload(
  workload: Workload,
  wish: PlayWish,
  tell: (progress: string) => void,
): Promise<readonly Measured[]> {
  const names = new Set(workload.variants.flatMap(({ subjects }) => Object.keys(subjects)))
  const processes = new Map(
    [...names].map((name) => [name, new SubjectProcess<Asked>(name, program, [workload.name, name])]),
  )
  try {
    for (const subject of processes.values()) await subject.isReady()
    return await measureWorkload(elsewhere(workload, wish, processes), { freshFile: noFile }, tell)
  } finally {
    for (const subject of processes.values()) subject.stop()
  }
}

/** The same workload, measured by the processes. */
function elsewhere(
  workload: Workload,
  { rounds = workload.rounds, size: asked }: PlayWish,
  processes: ReadonlyMap<string, SubjectProcess<Asked>>,
): Workload {
  const asking =
    (subject: string, variant: string): Measure =>
    async (size) => {
      const found = processes.get(subject)
      const figure = await found?.measure({ variant, size })
      if (figure === undefined) throw new Error(`${workload.name} ${variant} of ${subject}: ${found?.failure}`)
      return figure
    }
  return {
    ...workload,
    rounds: Math.min(workload.rounds, rounds),
    variants: workload.variants.map((variant) => {
      const others = Object.keys(variant.subjects).map((subject) => [subject, asking(subject, variant.name)] as const)
      const sizes = asked === undefined ? variant.sizes : [asked]
      return { ...variant, sizes, subjects: { floor: asking('floor', variant.name), ...Object.fromEntries(others) } }
    }),
  }
}

function noFile(): never {
  throw new Error('Files are made in the process that measures.')
}
