import { type Profiler, Session } from 'node:inspector'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const repository = resolve(import.meta.dirname, '../..')
const counted = /^(?:src|machines|node_modules\/xstate)\//

/** A range of a script's text, and how often it was executed. */
export interface CountedRange {
  readonly start: number
  readonly end: number
  readonly count: number
}

/** A function that was entered; `?` stands for one without a name. The first range is the whole function. */
export interface EnteredFunction extends CountedRange {
  readonly name: string
}

/** The executed parts of one file of `src`, `machines` or XState. */
export interface CoveredFile {
  /** From the root of the repository. */
  readonly path: string
  readonly entered: readonly EnteredFunction[]
  /** Outer ones before those within them, functions that were not entered included; module bodies left out. */
  readonly ranges: readonly CountedRange[]
}

/** Counts what is executed in this process. Modules that are to be counted are imported after it was made. */
export class Coverage {
  readonly #session = new Session()

  constructor() {
    // A call that is compiled into its caller is not counted, and when that happens is chance.
    for (const flag of ['--no-opt', '--no-maglev']) setFlagsFromString(flag)
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** The code executed since the last question. A session of one's own process answers before `post` returns. */
  take(): readonly CoveredFile[] {
    let covered: readonly CoveredFile[] | undefined
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      covered = result.flatMap(coveredFile)
    })
    if (covered === undefined) throw new Error('The profiler has not answered.')
    return covered.toSorted((left, right) => (left.path < right.path ? -1 : 1))
  }

  stop(): void {
    this.#session.disconnect()
  }
}

function coveredFile({ url, functions }: Profiler.ScriptCoverage): readonly CoveredFile[] {
  if (!url.startsWith('file:')) return []
  const path = relative(repository, fileURLToPath(url))
  if (!counted.test(path)) return []
  // A module's body begins where its file does, and no function of a module can.
  const own = functions.filter(({ ranges: [whole] }) => whole !== undefined && whole.startOffset > 0)
  const ranges = own.flatMap((one) => one.ranges.map(rangeOf))
  const entered = own.flatMap(({ functionName, ranges: [whole] }) =>
    whole === undefined || whole.count === 0 ? [] : [{ name: functionName || '?', ...rangeOf(whole) }],
  )
  return entered.length === 0 ? [] : [{ path, entered, ranges }]
}

function rangeOf({ startOffset, endOffset, count }: Profiler.CoverageRange): CountedRange {
  return { start: startOffset, end: endOffset, count }
}
