import type { DamagedRun, ListedRun, RunFilter, RunStatus } from '../../ports.ts'
import { type Store, StoreError } from '../../index.ts'

/** A run in the list. A run that is `running` in the store while no process drives it is `stopped`. */
export type ShownRecord = DamagedRun | (ListedRun & { readonly isStopped: boolean })

/** A page of runs. */
export interface ListedPage {
  readonly runs: readonly ShownRecord[]
  /** The cursor of the next page; absent at the end of the store. */
  readonly next?: string
}

/** A search for runs; an absent field excludes nothing. */
export interface Search extends Pick<RunFilter, 'status' | 'session' | 'subject' | 'updatedBefore' | 'before'> {
  /** A part of the prompt, the id, the agent, the session, the subject or a label, in any case. */
  readonly text?: string
  /** The name of a tool that the run has called. */
  readonly tool?: string
  /** True to list the runs of sub-agents too. */
  readonly hasMembers: boolean
}

const mostListed = 200
/** The maximum runs that one request looks at, and the maximum of which it reads the calls. */
const mostSeen = { rows: 2_000, calls: 400 }

/** Returns the search of a request. */
export function searchIn(given: URLSearchParams): Search {
  const read = (name: string) => given.get(name)?.trim().slice(0, 1_000) || undefined
  const [status, until] = [read('status'), Date.parse(read('until') ?? '')]
  const texts = { session: read('session'), subject: read('subject'), text: read('text'), tool: read('tool') }
  const found = Object.entries({ ...texts, before: read('before') }).filter(([, text]) => text !== undefined)
  return {
    ...(Object.fromEntries(found) as Partial<Search>),
    ...(isStatus(status) ? { status } : {}),
    ...(Number.isNaN(until) ? {} : { updatedBefore: until }),
    hasMembers: given.get('members') === '1',
  }
}

/**
 * Returns the newest matching runs, page by page. If the search reads far, a page may have fewer runs than there are.
 */
export async function listRuns(
  store: Store,
  { text, tool, hasMembers, before, ...filter }: Search,
): Promise<ListedPage> {
  const runs: ShownRecord[] = []
  const left = { rows: mostSeen.rows, calls: mostSeen.calls }
  const words = text?.toLowerCase()
  let next = before
  do {
    const page = await store.list({ ...filter, ...(next === undefined ? {} : { before: next }), limit: mostListed })
    next = undefined
    for (const run of page) {
      left.rows--
      const isFit = words === undefined || textOf(run).includes(words)
      const isMember = !('damaged' in run) && run.agent.includes('/')
      if (
        isFit &&
        (hasMembers || !isMember) &&
        (tool === undefined || (left.calls-- > 0 && (await hasCalled(store, run, tool))))
      ) {
        const shown = await shownRun(store, run)
        if (shown !== undefined) runs.push(shown)
      }
      if (run === page.at(-1) ? page.length < mostListed : runs.length < mostListed && left.calls > 0) continue
      next = run.cursor
      if (runs.length >= mostListed || left.calls <= 0) break
    }
  } while (next !== undefined && runs.length < mostListed && left.rows > 0 && left.calls > 0)
  return { runs, ...(next === undefined ? {} : { next }) }
}

function textOf(run: ListedRun | DamagedRun): string {
  if ('damaged' in run) return run.id.toLowerCase()
  const { id, agent, prompt = '', session = '', subject = '', labels = {} } = run
  return [id, agent, prompt, session, subject, ...Object.values(labels)].join('\n').toLowerCase()
}

async function hasCalled(store: Store, run: ListedRun | DamagedRun, tool: string): Promise<boolean> {
  if ('damaged' in run) return false
  const calls = await orGone(store.calls(run.id))
  return calls?.some(({ record }) => record.toolName === tool) === true
}

/** Returns undefined for a run that was deleted meanwhile. */
async function shownRun(store: Store, run: ListedRun | DamagedRun): Promise<ShownRecord | undefined> {
  if ('damaged' in run) return run
  if (run.status !== 'running') return { ...run, isStopped: false }
  const record = await orGone(store.record(run.id))
  return record && { ...run, isStopped: !record.isDriven }
}

async function orGone<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_unknown') return undefined
    throw error
  }
}

function isStatus(text: string | undefined): text is RunStatus {
  return text === 'running' || text === 'waiting' || text === 'done'
}
