import type { Journal } from './journal.ts'

/** Settings are started with these options. */
export interface SettingPlan {
  /** An empty folder for what the engine keeps. */
  readonly folder: string
  readonly journal: Journal
  /** The bug that the objects are given. */
  readonly plant: string | undefined
}

/** An engine that serves the shop's agent, and the ways to disturb it. */
export interface EngineSetting extends AsyncDisposable {
  /** Milliseconds between two looks of a client at its runs. */
  readonly lookMs: number
  /** The number of runs that are open at a time. */
  readonly mostOpen: number
  /** The present address of the objects for a client. */
  url(): string
  /** The number of cuts that may be waited for at a time. */
  readonly mostCuts: number
  /**
   * Has the engine end, once, at so many writes from now: of an object, or of whatever drives. Returns a function that says
   * whether it has.
   */
  cut(id: string, at: Cut): Promise<() => Promise<boolean>>
  /** The faults that are done in turn, by what their number is called; each ends when the engine accepts requests. */
  readonly faults: Readonly<Record<string, (openIds: readonly string[]) => Promise<void>>>
}

/** The place of a cut: the number of the write, and whether this write is kept. */
export interface Cut {
  readonly write: number
  readonly isKept: boolean
}
