import { Session } from 'node:inspector/promises'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = resolve(import.meta.dirname, '../..')
const rooms = /^(?:src|machines)\//

/** One file of `src` or `machines`, and the functions of it that were entered, in the order of the file. */
export interface EnteredFile {
  readonly path: string
  /** `?` stands for a function without a name. */
  readonly functions: readonly string[]
}

/** Which functions of `src` and `machines` are entered while `act` runs; `warmUp` runs first and is not counted. */
export async function countEntered(
  warmUp: () => Promise<unknown>,
  act: () => Promise<unknown>,
): Promise<readonly EnteredFile[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await warmUp()
  // Taking the counts sets them back to nothing, so that the next ones tell of `act` alone.
  await session.post('Profiler.takePreciseCoverage')
  await act()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  session.disconnect()
  return result.flatMap(enteredOf).toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/** Module bodies begin where their file does, and no function of a module can. */
function enteredOf({ url, functions }: ScriptCoverage): readonly EnteredFile[] {
  if (!url.startsWith('file:')) return []
  const path = relative(repository, fileURLToPath(url))
  if (!rooms.test(path)) return []
  const entered = functions.filter(
    ({ ranges: [range] }) => range !== undefined && range.count > 0 && range.startOffset > 0,
  )
  return entered.length === 0 ? [] : [{ path, functions: entered.map(({ functionName }) => functionName || '?') }]
}

interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly functionName: string
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[]
  }[]
}
