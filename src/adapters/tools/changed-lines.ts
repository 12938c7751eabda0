import { nextLoopTurn } from '../../core/domain/text/platform.ts'

interface ChangedLines {
  readonly removed: Uint8Array
  readonly added: Uint8Array
}

/** Places of two texts a comparison looks at, at most. */
const stepLimit = 1_000_000

/** Returns the smallest set of lines in which two texts differ (Myers), or undefined after `stepLimit` steps. */
export async function changedLines(
  before: readonly string[],
  after: readonly string[],
): Promise<ChangedLines | undefined> {
  const numbers = new Map<string, number>()
  const left = numbered(before, numbers)
  await nextLoopTurn()
  const right = numbered(after, numbers)
  await nextLoopTurn()
  const [inLeft, inRight] = [new Set(left), new Set(right)]
  const removed = Uint8Array.from(left, (line) => (inRight.has(line) ? 0 : 1))
  const added = Uint8Array.from(right, (line) => (inLeft.has(line) ? 0 : 1))
  const [leftPlaces, rightPlaces] = [unmarked(removed), unmarked(added)]
  const trace = findWay(
    leftPlaces.map((place) => left[place] ?? 0),
    rightPlaces.map((place) => right[place] ?? 0),
  )
  if (trace === undefined) return undefined
  for (const { isAdded, place } of changesOn(trace, leftPlaces.length - rightPlaces.length)) {
    if (isAdded) added[rightPlaces[place] ?? 0] = 1
    else removed[leftPlaces[place] ?? 0] = 1
  }
  return { removed, added }
}

function numbered(lines: readonly string[], numbers: Map<string, number>): Int32Array {
  return Int32Array.from(lines, (line) => {
    const known = numbers.get(line)
    if (known !== undefined) return known
    numbers.set(line, numbers.size)
    return numbers.size - 1
  })
}

function unmarked(marks: Uint8Array): Int32Array {
  return Int32Array.from(marks.keys()).filter((place) => marks[place] === 0)
}

/** By number of changes, and by diagonal from one below the lowest on: the place in the left text that was reached. */
type Trace = readonly Int32Array[]

function findWay(left: Int32Array, right: Int32Array): Trace | undefined {
  const trace: Int32Array[] = []
  let steps = 0
  for (let changes = 0; ; changes++) {
    const reached = new Int32Array(changes * 2 + 3)
    trace.push(reached)
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const from = startOf(trace, changes, diagonal).place
      let place = from
      while (place < left.length && place - diagonal < right.length && left[place] === right[place - diagonal]) place++
      reached[diagonal + changes + 1] = place
      if (place === left.length && place - diagonal === right.length) return trace
      steps += 1 + place - from
      if (steps > stepLimit) return undefined
    }
  }
}

/** Returns the start of a diagonal after one more change. */
function startOf(trace: Trace, changes: number, diagonal: number): { isAdded: boolean; place: number } {
  const reached = trace[changes - 1]
  if (reached === undefined) return { isAdded: false, place: 0 }
  const [below, above] = [reached[diagonal + changes - 1] ?? 0, reached[diagonal + changes + 1] ?? 0]
  const isAdded = diagonal === -changes || (diagonal !== changes && below < above)
  return { isAdded, place: isAdded ? above : below + 1 }
}

function* changesOn(trace: Trace, end: number): Generator<{ isAdded: boolean; place: number }> {
  let diagonal = end
  for (let changes = trace.length - 1; changes > 0; changes--) {
    const { isAdded, place } = startOf(trace, changes, diagonal)
    yield { isAdded, place: isAdded ? place - diagonal - 1 : place - 1 }
    diagonal += isAdded ? 1 : -1
  }
}
