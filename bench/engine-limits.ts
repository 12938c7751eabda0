import { stepPlaces } from './engine-places.ts'

/** The figures of our steps, by workload, variant and size. */
interface QuietFigures {
  quiet(workload: string, variant: string, size: number): number
  quietRatio(workload: string, variant: string, size: number): number
}

/** The limits of the workload `engine`, for each engine that is installed here. */
export const engineLimits = Object.keys(stepPlaces).flatMap((kind) => [
  ...(['p50', 'p99', 'run', 'CPU'] as const).map((part) => ({
    name: `engine ${kind} ${part} at 10: of the floor, when it is quiet`,
    // A bare step judges nothing and keeps one row, which shows in the time of the processor.
    limit: part === 'run' || part === 'CPU' ? 3 : 2,
    asked: 2,
    value: ({ quietRatio }: QuietFigures) => quietRatio('engine', `${kind} ${part}`, 10),
  })),
  {
    name: `engine ${kind}: a step of a run of 200 turns, of one of 10`,
    limit: 1.15,
    asked: 1.15,
    value: ({ quiet }: QuietFigures) =>
      quiet('engine', `${kind} of runs`, 200) / quiet('engine', `${kind} of runs`, 10),
  },
])
