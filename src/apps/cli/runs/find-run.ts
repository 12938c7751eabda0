import type { RunRecord, DamagedRun } from '../../../ports.ts'
import { type Store, StoreError } from '../../../index.ts'
import { misuse, unusable } from '../terminal/cli-error.ts'
import { lastWord } from '../setup/option-table.ts'
import { runIdOf } from '../setup/parse-command.ts'
import { oneLine } from '../terminal/safe-text.ts'

/** The usual prefixes of generated ids, which may be left out. A run of a conversation is named after its session. */
const usualStarts = ['run_', 'session_'] as const

/** The minimum number of characters of a printed id. */
const leastCharacters = 6

/** The maximum number of runs listed for an ambiguous prefix. */
const mostNamed = 10

/** Returns every run of a store, newest first. */
export async function allRuns(store: Store): Promise<readonly (RunRecord | DamagedRun)[]> {
  return await store.list({ limit: Number.MAX_SAFE_INTEGER })
}

/** Returns true for the run of a sub-agent, which is shown with the run that it works for. */
export function isMember(run: RunRecord | DamagedRun): boolean {
  return 'agent' in run && run.agent.includes('/') && /\.sub\.\d+$/.test(run.id)
}

/**
 * Returns the id of the run that the argument names: a whole id, else `last`, else a unique prefix of an id, with or
 * without `run_` or `session_`, or such a prefix of a session with the number of the run, such as `f9b9d1.2`. Throws a `CliError` that lists the matching runs for an ambiguous prefix, and the
 * store's error if no run matches.
 */
export async function findRun(store: Store, given: string | undefined): Promise<string> {
  const wanted = runIdOf(given)
  const missing = await missingRun(store, wanted)
  if (missing === undefined) return wanted
  const runs = await allRuns(store)
  if (wanted === lastWord) {
    const newest = runs.find((run) => !isMember(run))
    if (newest !== undefined) return newest.id
    throw unusable('run_unknown', 'The store has no run yet.', 'Start one with: statewright run "<prompt>"')
  }
  const starts = [wanted, ...usualStarts.map((usual) => usual + wanted)]
  const [, session = wanted, number] = /^(.+)(\.\d+)$/.exec(wanted) ?? []
  const sessions = number === undefined ? [] : [session, ...usualStarts.map((usual) => usual + session)]
  const fitting = runs.filter(
    ({ id }) =>
      starts.some((start) => id.startsWith(start)) ||
      (number !== undefined && id.endsWith(number) && sessions.some((start) => id.startsWith(start))),
  )
  const [only, ...others] = fitting
  if (only === undefined) throw missing
  if (others.length === 0) return only.id
  const more = fitting.length - mostNamed
  throw misuse(
    'ambiguous_run',
    `${fitting.length} runs begin with ${JSON.stringify(wanted)}. Use more of the id:`,
    ...fitting.slice(0, mostNamed).map((run) => `${run.id}  ${'damaged' in run ? 'damaged' : run.status}`),
    ...(more > 0 ? [`and ${more} more: statewright runs`] : []),
  )
}

/** Returns the store's error for an unknown run, or undefined for a known one. */
async function missingRun(store: Store, runId: string): Promise<StoreError | undefined> {
  try {
    await store.record(runId)
    return undefined
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_unknown') return error
    if (error instanceof StoreError && error.code === 'run_damaged') return undefined
    throw error
  }
}

/** A run with its session. */
export interface Named {
  readonly id: string
  readonly session?: string
}

/**
 * Returns a short id of each run, by id: the shortest unique prefix, of at least six characters. A run of a session has the
 * prefix of the session with its number, such as `f9b9d1.2`.
 */
export function shortIds(runs: readonly Named[]): ReadonlyMap<string, string> {
  const places = runs.map(({ id, session }) => {
    const [number] = /\.\d+$/.exec(id) ?? []
    const isNumbered = session !== undefined && number !== undefined && id.startsWith(`${session}.`)
    return { id, name: isNumbered ? session : id, number: isNumbered ? number : '' }
  })
  const prefixes = shortTexts([...new Set(places.map(({ name }) => name))])
  const taken = Map.groupBy(places, ({ name, number }) => name + number)
  return new Map(
    places.map(({ id, name, number }) => {
      const isAlone = taken.get(name + number)?.length === 1
      return [id, `${prefixes.get(name) ?? name}${isAlone ? number : id.slice(name.length)}`]
    }),
  )
}

/** Returns the shortest unique prefix of each text, without its usual start. */
export function shortTexts(ids: readonly string[]): ReadonlyMap<string, string> {
  const bare = ids.map((id) => {
    const usual = usualStarts.find((start) => id.startsWith(start)) ?? ''
    return { id, text: id.slice(usual.length) }
  })
  const sorted = bare.toSorted((left, right) => (left.text < right.text ? -1 : 1))
  return new Map(
    sorted.map(({ id, text }, index) => {
      const shared = Math.max(
        sharedStart(text, sorted[index - 1]?.text ?? ''),
        sharedStart(text, sorted[index + 1]?.text ?? ''),
      )
      return [id, oneLine(text.slice(0, Math.max(shared + 1, leastCharacters)))]
    }),
  )
}

function sharedStart(left: string, right: string): number {
  let count = 0
  while (count < left.length && left[count] === right[count]) count++
  return count
}
