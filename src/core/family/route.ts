import type { CallRecord } from '../domain/call.ts'
import type { DecisionReceipt } from '../domain/decision.ts'
import { addressOf, splitAddress } from '../domain/family-link.ts'
import { limitQuestion } from '../domain/limit-hold.ts'
import { isBehind, placeBefore } from '../domain/list-cursor.ts'
import { defined, isRecord } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { type RunStanding, suspendedCalls } from '../driving/run-result.ts'
import { findOpenCall } from '../domain/judge-decision.ts'
import { storeFittingDecisions } from '../driving/store-decisions.ts'
import { workerOf } from '../driving/worker-of.ts'
import type { CallRow, Store } from '../ports/store.ts'
import type { DamagedRun, SuspendedFilter, SuspendedRun } from '../ports/store-lists.ts'
import { driveWork, openWork } from './open-work.ts'
import { tellFamily } from './cancel-family.ts'
import { childOf, linksAbove, wake } from './deliver-ends.ts'
import { askedOnce, isAskedHere, shareAnswer, tellAnswered, wakeAbove } from './limit-questions.ts'
import { hasBackground, isParent, memberNamed, membersOf } from './lineage.ts'
import { speaking } from './speaking.ts'
import { usageBelow } from './total-usage.ts'

export { tellFamily, usageBelow }

/**
 * Stores decisions about calls of a run and of its members. A member's call is named `<childRunId>/<callId>`. Items for one
 * member are judged together, and every call that waits for the member looks at its child again. Receipts come in the order
 * of the items.
 */
export async function decideInFamily(
  core: AgentCore,
  runId: string,
  items: readonly unknown[],
  open?: readonly CallRow[],
): Promise<readonly DecisionReceipt[]> {
  const at = (place: number) => items[place]
  const places = Map.groupBy(items.keys(), (place) => addressIn(at(place))?.runId)
  const runs = await Promise.all(
    (places.get(undefined) ?? []).map(async (place) => {
      return { place, ...(await speaking(core, runId, targetIn(at(place)))) }
    }),
  )
  const own = runs.flatMap((run) => (run.runId === runId ? run.place : []))
  const mayAsk = isParent(core) || core.parts.inherited !== undefined
  const calls = mayAsk && own.length > 0 ? (await core.store.calls(runId, [])).map(({ record }) => record) : []
  const receipts = new Map(own.map((place) => [place, refusalFor(at(place), calls)]))
  const asked = own.filter((place) => receipts.get(place) === undefined)
  const answers = asked.length === 0 ? [] : await storeFittingDecisions(core, runId, asked.map(at), open)
  for (const [index, place] of asked.entries()) {
    receipts.set(place, answers[index])
    const call = answers[index]?.answer === 'applied' ? openCall(at(place), calls) : undefined
    if (call !== undefined) await shareAnswer(core, call, at(place))
  }
  for (const later of Map.groupBy(runs, (run) => run.runId).values()) {
    const [first] = later
    if (first === undefined || first.runId === runId) continue
    const given = await decideInFamily(
      first.core,
      first.runId,
      later.map(({ place }) => at(place)),
    )
    for (const [index, { place }] of later.entries()) receipts.set(place, given[index])
  }
  for (const [memberId, below] of places) {
    if (memberId === undefined) continue
    const speech = await speaking(core, runId, `${memberId}/`)
    const given = await decideForMember(speech.core, speech.runId, below.map(at), memberId)
    for (const [index, place] of below.entries()) receipts.set(place, given[index])
  }
  return items.map((item, place) => receipts.get(place) ?? { target: targetIn(item), answer: 'unknown' })
}

/** Returns the calls of a run that may ask, or whose members may. */
export function askingCalls(store: Store, runId: string, mayWorkOn: boolean): Promise<readonly CallRow[]> {
  return store.calls(runId, mayWorkOn ? undefined : [])
}

/** Returns the questions that an answer to a run may refer to: those of its own calls and of its members. */
export async function questionsOf(
  store: Store,
  rows: readonly CallRow[],
  mayWorkOn: boolean,
): Promise<readonly CallRecord[]> {
  const own = rows.map(({ record }) => record)
  const found: CallRecord[] = []
  const below = async (child: string) => {
    const worker = await workerOf(store, child)
    if (worker === undefined) return
    const calls = await askingCalls(store, worker.id, mayWorkOn)
    found.push(...(await questionsOf(store, calls, mayWorkOn)).map((call) => addressed(worker.id, call)))
  }
  for (const call of own) {
    if (call.status !== 'suspended') continue
    const child = childOf(call)
    if (child === undefined) found.push(call)
    else await below(child)
  }
  for (const child of mayWorkOn ? await openWork(store, own) : []) await below(child)
  return askedOnce(found)
}

/** Replaces calls that wait for members by the members' questions. */
export async function withQuestions<Standing extends RunStanding>(store: Store, standing: Standing): Promise<Standing> {
  if (!standing.suspended.some((call) => childOf(call) !== undefined)) return standing
  const suspended = []
  for (const call of standing.suspended) {
    const child = childOf(call)
    const worker = child && (await workerOf(store, child))?.id
    // A deleted child leaves only the call that waits for it.
    if (worker === undefined) {
      suspended.push(call)
      continue
    }
    const { calls, log } = await store.read(worker)
    const below = suspendedCalls(
      calls.map(({ record }) => record),
      log,
    )
    const { suspended: listed } = await withQuestions(store, { ...standing, suspended: below })
    suspended.push(...listed.map((one) => ({ ...one, callId: addressOf(worker, one.callId) })))
  }
  return { ...standing, suspended: askedOnce(suspended) }
}

/** Lists the waiting runs of an agent and its sub-agents, the newest first, without the calls that wait for a member. */
export async function suspendedInFamily(
  core: AgentCore,
  filter: SuspendedFilter,
): Promise<readonly (SuspendedRun | DamagedRun)[]> {
  const { limit = 100, before } = filter
  let lists = membersOf(core).map(({ name }) => ({ name, before, isOver: limit === 0 }))
  let found: readonly (SuspendedRun | DamagedRun)[] = []
  for (;;) {
    const last = found.at(limit - 1)
    // A list may still have one of the runs that are wanted if it was not read to where these end.
    const open = lists.filter((list) => !list.isOver && (last === undefined || isBefore(last, list.before)))
    if (open.length === 0) return found.slice(0, limit)
    const pages = await Promise.all(
      open.map(async (list) => {
        const asked = { ...filter, ...defined({ before: list.before }), agent: list.name, limit }
        const page = await core.store.suspended(asked)
        const questions = await Promise.all(page.map((run) => asking(core.store, run)))
        return { list, page, questions: questions.flat() }
      }),
    )
    found = [...found, ...pages.flatMap(({ questions }) => questions)].toSorted(byPlace)
    lists = pages.map(({ list: { name }, page }) => {
      return { name, before: cursorIn(page.at(-1)), isOver: page.length < limit }
    })
  }
}

/** Returns a run with its suspended calls, or nothing if it has none. */
async function asking(store: Store, run: SuspendedRun | DamagedRun): Promise<readonly (SuspendedRun | DamagedRun)[]> {
  if ('damaged' in run) return [run]
  const calls = []
  for (const call of run.calls)
    if (childOf(call) === undefined && (await isAskedHere(store, run.record.id, call))) calls.push(call)
  return calls.length === 0 ? [] : [{ ...run, calls }]
}

/** Returns true if a run comes after a cursor. */
function isBefore(run: SuspendedRun | DamagedRun, cursor: string | undefined): boolean {
  return cursor === undefined || isBehind(placeBefore(cursorIn(run)), placeBefore(cursor))
}

function byPlace(left: SuspendedRun | DamagedRun, right: SuspendedRun | DamagedRun): number {
  return isBehind(placeBefore(cursorIn(left)), placeBefore(cursorIn(right))) ? 1 : -1
}

function cursorIn(run: SuspendedRun | DamagedRun | undefined): string | undefined {
  return run !== undefined && 'record' in run ? run.record.cursor : run?.cursor
}

/**
 * Before a run is driven, lets its calls check children that have ended, are missing, or continue with a stored
 * decision.
 */
export async function lookAtChildren(core: AgentCore, runId: string): Promise<void> {
  const { store } = core
  const isHeld = (await store.calls(runId, [])).some(({ record }) => {
    return limitQuestion(record) !== undefined || childOf(record) !== undefined
  })
  if (isHeld) await tellAnswered(core, runId)
  if (!isParent(core)) return
  await tellFamily(core)
  await lookBelowRun(core, runId)
  if (!hasBackground(core)) return
  const calls = (await core.store.calls(runId)).map(({ record }) => record)
  await driveWork(core, await openWork(core.store, calls))
}

/** Works from the bottom up, because a call that checks its child is a decision for its run. */
async function lookBelowRun({ store, clock }: Pick<AgentCore, 'store' | 'clock'>, runId: string): Promise<void> {
  for (const { record } of await store.calls(runId, [])) {
    const child = childOf(record)
    if (child === undefined) continue
    const worker = await workerOf(store, child)
    if (worker !== undefined) await lookBelowRun({ store, clock }, worker.id)
    const isReady = worker?.status !== 'waiting' || (await store.inbox(worker.id, { isOpen: true })).length > 0
    if (isReady) await wake(store, runId, record.callId, `${child}:${record.suspension?.id ?? ''}`, clock.now())
  }
}

async function decideForMember(
  core: AgentCore,
  runId: string,
  items: readonly unknown[],
  memberId: string,
): Promise<readonly DecisionReceipt[]> {
  const { store, clock } = core
  const links = await linksAbove(store, memberId)
  const at = links.findIndex(({ parentRunId }) => parentRunId === runId)
  if (at < 0) {
    const message = `Run "${runId}" has no member "${memberId}".`
    return items.map((item) => ({ target: targetIn(item), answer: 'unknown', message }))
  }
  const { agent } = await store.record(memberId)
  const own = items.map((item) => ({ ...(item as object), target: addressIn(item)?.target }))
  const receipts = await decideInFamily(memberNamed(core, agent) ?? core, memberId, own)
  for (const { answer, decisionId, target } of receipts) {
    if (!['applied', 'kept', 'duplicate'].includes(answer)) continue
    const why = `${memberId}:${decisionId ?? target}`
    await wakeAbove(store, links, why, clock.now())
  }
  return receipts.map((receipt) => ({ ...receipt, target: addressOf(memberId, receipt.target) }))
}

/** Refuses an answer to a call that waits for its child, because it continues only after the child has ended. */
function refusalFor(item: unknown, calls: readonly CallRecord[]): DecisionReceipt | undefined {
  const call = actionIn(item) === 'resume' ? waitingCall(item, calls) : undefined
  const child = call && childOf(call)
  if (child === undefined) return undefined
  const message = `The call waits for its sub-agent. Answer the calls of run "${child}": ${addressOf(child, '<call>')}.`
  return { target: targetIn(item), answer: 'refused', message }
}

/** Returns the call with a child that an item names, by any of its ids. */
function waitingCall(item: unknown, calls: readonly CallRecord[]): CallRecord | undefined {
  const call = openCall(item, calls)
  return call && childOf(call) === undefined ? undefined : call
}

function openCall(item: unknown, calls: readonly CallRecord[]): CallRecord | undefined {
  return findOpenCall(targetIn(item), { calls, decisions: [], cancelled: [], now: 0 })
}

function addressed(child: string, call: CallRecord): CallRecord {
  const { suspension } = call
  const callId = addressOf(child, call.callId)
  return suspension === undefined
    ? { ...call, callId }
    : { ...call, callId, suspension: { ...suspension, id: addressOf(child, suspension.id) } }
}

function targetIn(item: unknown): string {
  const target = isRecord(item) ? item['target'] : undefined
  return typeof target === 'string' ? target : ''
}

function actionIn(item: unknown) {
  return isRecord(item) ? item['action'] : undefined
}

function addressIn(item: unknown) {
  return splitAddress(targetIn(item))
}
