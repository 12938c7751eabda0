import { isDeepStrictEqual } from 'node:util'
import type { Run } from '../../src/core/agent/run.ts'
import { standingOf, storedFacts } from '../../src/core/driving/run-result.ts'
import { toldCall } from '../../src/core/domain/call.ts'
import { carriedIn } from '../../src/core/domain/carried.ts'
import type { StoredEvent } from '../../src/core/domain/event.ts'
import { foldEvents } from '../../src/core/domain/fold-events.ts'
import { messagesIn } from '../../src/core/domain/transcript-message.ts'
import type { StoredRun } from '../../src/core/ports/store.ts'
import { undeliveredOf } from './judge-messages.ts'
import type { PlayedRun } from './played-run.ts'
import { heardAs } from './spoken.ts'

/** The faults of the stored events of an ended run, in any number of processes. */
export async function eventFaults(
  run: StoredRun,
  handle: Run,
  played: PlayedRun,
  isFiltered: boolean,
): Promise<readonly string[]> {
  const events: StoredEvent[] = []
  for await (const event of handle.events({ deltas: false })) events.push(event)
  const refused = played.said.filter((one) => heardAs(one, isFiltered) === undefined).map(({ text }) => text)
  return [
    ...orderFaults(events, run, played),
    ...toldFaults(events, run, played),
    ...rejectedFaults(events, run, played.number, refused),
    ...foldFaults(events, run),
  ]
}

/** A fold of the stored events tells of a run what its result does, and hears nothing twice. */
export function foldFaults(events: readonly StoredEvent[], run: StoredRun): readonly string[] {
  const view = foldEvents(events)
  if (foldEvents(events, view) !== view) return ['events told again change their fold']
  const standing = standingOf(run.record.id, storedFacts(run))
  const { runId, status, outcome, text, turns, usage, cost, rejection, undelivered } = standing
  const messages = standing.messages.filter(({ place }) => place > carriedIn(run.input))
  const suspended = standing.suspended.map(toldCall)
  const due = { runId, status, outcome, text, turns, usage, cost, rejection, undelivered, messages, suspended }
  return Object.entries(due).flatMap(([field, value]) => {
    const folded = view[field as keyof typeof view]
    return isDeepStrictEqual(folded, value)
      ? []
      : [`${field} is ${JSON.stringify(value)} and folded ${JSON.stringify(folded)}`]
  })
}

function orderFaults(
  events: readonly StoredEvent[],
  { record }: StoredRun,
  { original }: PlayedRun,
): readonly string[] {
  const faults: string[] = []
  const fall = events.findIndex(({ seq }, index) => seq <= (events[index - 1]?.seq ?? 0))
  if (fall >= 0) faults.push(`event ${events[fall]?.seq} follows ${events[fall - 1]?.seq}`)
  const starts = events.filter((event) => event.type === 'run.started')
  const isUntold = record.code === 'before_loop' || events.length === 1
  if (starts.length !== (isUntold ? 0 : 1)) faults.push(`run.started was told ${starts.length} times`)
  const wrong = starts.find(({ parentRunId }) => parentRunId !== original?.id)
  if (wrong !== undefined) faults.push(`run.started names ${wrong.parentRunId} instead of ${original?.id}`)
  const ends = events.filter(({ type }) => type === 'run.ended').length
  // Only a hook that is asked once the end is told fails behind it.
  const last = events.findLast(({ type }) => type !== 'hook.failed')
  if (ends !== 1 || last?.type !== 'run.ended') faults.push(`run.ended was told ${ends} times, or not at last`)
  return faults
}

/** Every message of the run's own is told once, what users said in its order, and none of the run it goes on from. */
function toldFaults(events: readonly StoredEvent[], run: StoredRun, played: PlayedRun): readonly string[] {
  const faults: string[] = []
  const own = messagesIn(run.log).slice(played.original?.messages.length ?? 0)
  const told = events.flatMap((event) => (event.type === 'message.ended' ? event : []))
  const places = own.map(({ place }) => place)
  const toldPlaces = told.map(({ place }) => place)
  if (!isDeepStrictEqual(toldPlaces.toSorted(byNumber), places))
    faults.push(`messages ${places.join()} are told as ${toldPlaces.join()}`)
  const said = told.flatMap(({ message, place }) => (message.role === 'user' ? place : []))
  if (!isDeepStrictEqual(said, said.toSorted(byNumber))) faults.push(`what was said is told as ${said.join()}`)
  for (const event of events) {
    if (event.type !== 'run.ended') continue
    const used = own.reduce((sum, one) => sum + (one.role === 'assistant' ? one.usage.totalTokens : 0), 0)
    if (event.usage.totalTokens !== used) faults.push(`run.ended tells ${event.usage.totalTokens} tokens of ${used}`)
  }
  return faults
}

function byNumber(left: number, right: number): number {
  return left - right
}

/** What a filter refused is told once, by the number in its text; else it is among what was not delivered. */
function rejectedFaults(
  events: readonly StoredEvent[],
  run: StoredRun,
  number: number,
  refused: readonly string[],
): readonly string[] {
  const rejected = events.flatMap((event) => (event.type === 'input.rejected' ? `${event.kind} ${event.reason}` : []))
  const { rejection } = standingOf(run.record.id, storedFacts(run))
  const left = undeliveredOf(run)
  const told = refused.filter((text) => !left.includes(text)).map((text) => text.replace(/ refused$/, ''))
  const due = rejection !== undefined ? [`prompt ${number}`] : told
  const isSame = isDeepStrictEqual(rejected.toSorted(), due.toSorted())
  return isSame ? [] : [`${due.join()} was refused and told as ${rejected.join()}`]
}
