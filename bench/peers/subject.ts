import type { Plan } from './script.ts'

/** One framework: what it can play of the workloads. */
export interface Subject {
  /** One run in memory, to its end. */
  run(plan: Plan): Promise<void>
  /** One answer in so many deltas, read by somebody who watches. */
  deltas(count: number): Promise<void>
  /** Opens a store in a file that keeps each step of a run. */
  openDurable?(path: string): Promise<DurableRuns>
  /** Microseconds from the answer that makes a call to the run's end, over its suspension and a fresh start from a file. */
  resume?(messages: number, path: string): Promise<number>
  /** Leaves a run in a file that waits for an approval, for a fresh process. */
  suspend?(messages: number, path: string): Promise<void>
  /** Approves the one run in a file and drives it to its end. */
  goOn?(path: string): Promise<void>
}

/** Runs kept in a file. */
export interface DurableRuns {
  run(plan: Plan): Promise<void>
  close(): Promise<void>
}
