import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Stretches of a text that were entered: start and end of each, one after the other, as offsets. */
export type Entered = readonly number[]

interface Report {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly Range[] }[]
  }[]
}

interface Range {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

/** What the processes of one test file entered, by source file below the root, from the reports V8 wrote into a folder. */
export function readCoverage(folder: string, root: string, wanted: readonly string[]): ReadonlyMap<string, Entered> {
  const painted = new Map<string, Uint8Array>()
  for (const name of readdirSync(folder)) {
    const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Report
    for (const { url, functions } of result) {
      if (!url.startsWith('file:')) continue
      const path = fileURLToPath(url).slice(root.length + 1)
      if (!wanted.includes(path)) continue
      const ranges = functions.flatMap(({ ranges: own }) => own)
      const entered = paint(ranges)
      const before = painted.get(path)
      painted.set(path, before === undefined ? entered : entered.map((one, at) => one | (before[at] ?? 0)))
    }
  }
  return new Map([...painted].map(([path, entered]) => [path, stretchesOf(entered)]))
}

/** Inner ranges speak for their part of the outer ones. */
function paint(ranges: readonly Range[]): Uint8Array {
  const size = Math.max(0, ...ranges.map(({ endOffset }) => endOffset))
  const entered = new Uint8Array(size)
  const outerFirst = ranges.toSorted(
    (left, right) => left.startOffset - right.startOffset || right.endOffset - left.endOffset,
  )
  for (const { startOffset, endOffset, count } of outerFirst) entered.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return entered
}

function stretchesOf(entered: Uint8Array): Entered {
  const edges: number[] = []
  entered.forEach((one, at) => {
    if (one !== (at === 0 ? 0 : entered[at - 1])) edges.push(at)
  })
  return edges.length % 2 === 0 ? edges : [...edges, entered.length]
}

/** Whether a place was entered. */
export function isEntered(entered: Entered, offset: number): boolean {
  const after = entered.findIndex((edge) => edge > offset)
  return after % 2 === 1
}
