import { ownEntries } from '../../src/core/domain/carried.ts'
import type { LogEntry } from '../../src/core/domain/log.ts'
import { type Message, textOf } from '../../src/core/domain/message.ts'
import { valueIn } from '../../src/core/domain/value-in.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { SessionOrder, SessionOutcome } from './session-orders.ts'
import type { RoundResult } from './play-round.ts'
import { findSession } from '../../src/core/driving/find-sessions.ts'

type What = SessionOrder['what']

/** Gives both processes an order for one moment and waits for what came of it. */
export type SessionRace = (
  first: Omit<SessionOrder, 'at'>,
  second: Omit<SessionOrder, 'at'>,
) => Promise<readonly [SessionOutcome, SessionOutcome]>

/** The simultaneous actions of both, one pair after the other; the last prompt reads what is still queued. */
const pairs: readonly (readonly [What, What])[] = [
  ['prompt', 'prompt'],
  ['steer', 'prompt'],
  ['followUp', 'steer'],
  ['steer', 'rotate'],
  ['prompt', 'rotate'],
  ['prompt', 'steer'],
]

/** The errors with which a process may be refused. */
const fair: Readonly<Record<What, readonly string[]>> = {
  prompt: ['done', 'run_busy'],
  steer: ['done'],
  followUp: ['done'],
  rotate: ['done', 'run_busy'],
  delete: ['done', 'run_is_driven', 'session_unknown'],
}

/** One session: both prompt, steer, rotate and delete it at once; what each said is heard once, in whatever became of it. */
export async function playSessionRound(race: SessionRace, store: Store, round: number): Promise<RoundResult> {
  const ids = [`session-${round}`]
  const said = new Map<string, boolean>()
  const wrong: string[] = []
  let refusedDrives = 0
  const play = async (pair: readonly [What, What], name: string) => {
    const orders = pair.map((what, side) => ({ sessionId: ids.at(-1) ?? '', what, text: `${name} ${what} ${side}` }))
    const [first, second] = orders
    if (first === undefined || second === undefined) return
    const outcomes = await race(first, second)
    for (const [side, { answer, rotated }] of outcomes.entries()) {
      const { what, text } = side === 0 ? first : second
      if (!fair[what].includes(answer)) wrong.push(`Session ${first.sessionId}: ${what} ended with ${answer}.`)
      if (answer === 'run_busy') refusedDrives++
      if (rotated !== undefined) ids.push(rotated)
      if (what !== 'rotate' && what !== 'delete') said.set(text, answer === 'done')
    }
  }
  for (const [index, [one, other]] of pairs.entries()) {
    await play((round + index) % 2 === 0 ? [one, other] : [other, one], `${round}.${index}`)
  }
  const heard = await wordsOf(store, ids)
  const count = (text: string) => heard.filter((word) => word === text).length
  const lost = [...said].flatMap(([text, isSaid]) =>
    isSaid && count(text) === 0 ? `"${text}" was said to nobody.` : [],
  )
  const doubled = [...said].flatMap(([text, isSaid]) =>
    count(text) > (isSaid ? 1 : 0) ? `"${text}" stands ${count(text)} times.` : [],
  )
  await play(round % 2 === 0 ? ['delete', 'prompt'] : ['delete', 'delete'], `${round}.last`)
  for (const id of ids) wrong.push(...(await brokenRuns(store, id)))
  return { lost, doubled, wrong, refusedDrives }
}

/** All that was said to sessions: what their runs heard or left unheard, and what is queued. */
async function wordsOf(store: Store, ids: readonly string[]): Promise<readonly string[]> {
  const words: string[] = []
  for (const id of new Set(ids)) {
    const session = await findSession(store, id)
    for (const { item } of session?.queued ?? []) if ('messages' in item) words.push(...item.messages.map(textOf))
    for (const run of await store.list({ session: id, limit: 1000 })) {
      const { log, input } = await store.read(run.id)
      words.push(...spokenIn(ownEntries(log, input)))
    }
  }
  return words
}

function spokenIn(log: readonly LogEntry[]): readonly string[] {
  const unheard = (valueIn(log, 'undelivered') ?? []) as unknown as readonly Message[]
  const messages = log.flatMap((entry) => (entry.kind === 'message' ? entry.message : []))
  return [...messages, ...unheard].flatMap((message) => (message.role === 'user' ? textOf(message) : []))
}

/** Each run that is left of a session is readable, and the session's last run is one of them. */
async function brokenRuns(store: Store, id: string): Promise<readonly string[]> {
  const session = await findSession(store, id)
  const runs = await store.list({ session: id, limit: 1000 })
  const broken: string[] = []
  for (const run of runs) {
    const { record } = await store.read(run.id)
    if (record.status !== 'done') broken.push(`Run ${run.id} is ${record.status}.`)
  }
  if (session === undefined && runs.length > 0)
    broken.push(`Session ${id} is gone, and ${runs.length} runs of it are not.`)
  const last = session?.lastRun
  if (last !== undefined && !runs.some((run) => run.id === last))
    broken.push(`Run ${last}, the last of session ${id}, is gone.`)
  return broken
}
