import { isRecord, type Json, type JsonObject } from '../domain/text/json.ts'
import { carriedIn } from '../domain/carried.ts'
import { type InboxRow, saidIn, saidKinds, type StoredDecision } from '../domain/inbox.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { readInput } from '../driving/read-input.ts'
import { runCharts } from '../driving/run-charts.ts'
import { linkTo, type PlainLog } from '../plain/plain-log.ts'
import type { PlainPair } from '../plain/plain-machine.ts'
import type { Store } from '../ports/store.ts'
import { decodeRun } from '../runtime/document.ts'

/** Reads a stored run, as of its last commit, as a bare actor keeps one. */
export async function storedPair(store: Store, runId: string): Promise<PlainPair> {
  const { stored, taken, unread, said } = await readAtOnce(store, runId)
  const { messages, value, ...input } = readInput(runId, stored.input)
  const loaded = decodeRun(stored, runCharts.defaults({ messages, ...input }), runCharts.migrations)
  if (loaded?.snapshot === undefined) {
    const wish = 'Drive it first, or give its prompt to createActor(agent.machine, { input }).'
    throw new UsageError('run_busy', `Run ${JSON.stringify(runId)} has not begun, so it has no snapshot. ${wish}`)
  }
  const { snapshot } = loaded
  const open = new Set(unread.map(({ id }) => id))
  const decisions = taken.flatMap((row) => (open.has(row.id) ? [] : decisionIn(row)))
  const queued = new Set(runCharts.queuedRows(snapshot.context))
  const waiting = said.flatMap((row) => (queued.has(row.id) ? { inboxId: row.id, messages: saidIn(row) } : []))
  const carried = carriedIn(stored.input)
  const log: PlainLog = { runId, entries: stored.log }
  const link = linkTo(log, {
    decisions,
    ...(carried === 0 ? {} : { carried }),
    ...(isTaken(snapshot.context) ? {} : { given: { messages, ...(value === undefined ? {} : { value }) } }),
    ...(waiting.length === 0 ? {} : { said: waiting }),
  })
  const places = new Map(decisions.map(({ decisionId }, index) => [decisionId, index + 1]))
  const numbered = withNumbers(snapshot as unknown as Json, places) as JsonObject
  const pair = { ...numbered, plain: link as unknown as Json }
  return { snapshot: pair as unknown as PlainPair['snapshot'], log }
}

/** Reads a run and its inbox as of one commit: it reads again if the run has committed in between. */
async function readAtOnce(store: Store, runId: string) {
  let stored = await store.read(runId)
  for (;;) {
    const [taken, unread, said] = await Promise.all([
      store.inbox(runId, { kinds: ['decision'] }),
      store.inbox(runId, { isOpen: true }),
      store.inbox(runId, { kinds: saidKinds }),
    ])
    const after = await store.read(runId)
    if (after.record.version === stored.record.version) return { stored, taken, unread, said }
    stored = after
  }
}

function decisionIn({ item }: InboxRow): readonly StoredDecision[] {
  return item.kind === 'decision' ? [item.decision] : []
}

function isTaken(context: unknown): boolean {
  return isRecord(context) && context['input'] === 'taken'
}

/** A bare actor has no inbox: it knows a decision by its place in the list of all. */
function withNumbers(value: Json, places: ReadonlyMap<string, number>): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withNumbers(item, places))
  if (!isRecord(value)) return value
  const copied = Object.entries(value).map(([key, item]) => [key, withNumbers(item, places)] as const)
  const place = typeof value['decisionId'] === 'string' ? places.get(value['decisionId']) : undefined
  return { ...Object.fromEntries(copied), ...('inboxId' in value && place !== undefined ? { inboxId: place } : {}) }
}
