import { accountKind, addToCap, stopAsking } from '../domain/account.ts'
import type { CallRecord } from '../domain/call.ts'
import { familyDecision, type FamilyLink, rootIdOf } from '../domain/family-link.ts'
import { addedAmount, limitQuestion } from '../domain/limit-hold.ts'
import { rowOf } from '../domain/records/record-read.ts'
import { isRecord, toPlainJson } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { findSession } from '../driving/find-sessions.ts'
import { workerOf } from '../driving/worker-of.ts'
import type { Store } from '../ports/store.ts'
import { openWork } from './open-work.ts'
import { childOf, decideWithin, linksAbove, storedInput, wake } from './deliver-ends.ts'

/** A run of a family that waits for its account. */
interface HeldRun {
  readonly runId: string
  readonly call: CallRecord
  /** The ids of all questions of the run, answered or not. */
  readonly asked: readonly (string | undefined)[]
}

/** Keeps one question for each account: the question of the first run that waits for it. */
export function askedOnce<Call extends CallRecord>(calls: readonly Call[]): readonly Call[] {
  const roots = new Set<string>()
  return calls.filter((call) => {
    const root = limitQuestion(call)?.root
    if (root === undefined) return true
    return !roots.has(root) && roots.add(root)
  })
}

/** Returns true if a run asks its question for the whole family, or if the question does not concern an account. */
export async function isAskedHere(store: Store, runId: string, call: CallRecord): Promise<boolean> {
  const question = limitQuestion(call)
  if (question === undefined) return true
  const held = await heldInFamily(store, question.root)
  return held[0]?.runId === runId || held.every((one) => one.runId !== runId)
}

/**
 * Passes the answer to an account's question on to all waiting runs. They continue with the added amount, or end.
 * `item` is the decision that was stored for the call.
 */
export async function shareAnswer(
  { store, clock }: Pick<AgentCore, 'store' | 'clock'>,
  call: CallRecord,
  item: unknown,
): Promise<void> {
  const question = limitQuestion(call)
  const key = call.suspension?.id
  if (question === undefined || key === undefined || !isRecord(item)) return
  const { root, limit } = question
  const action = item['action'] === 'cancel' ? 'cancel' : 'resume'
  const units = addedAmount(question, toPlainJson(item['result']))
  if (action === 'cancel') await store.change(stopAsking(root))
  else if (units !== undefined) await store.change(addToCap(root, key, limit, units))
  await tellHeld({ store, clock }, root, { action, key })
}

/** Sends each other run that waits for an account the answer to a question of that account. */
async function tellHeld(
  { store, clock }: Pick<AgentCore, 'store' | 'clock'>,
  root: string,
  { action, key }: { readonly action: 'cancel' | 'resume'; readonly key: string },
): Promise<void> {
  for (const { runId, call, asked } of await heldInFamily(store, root)) {
    // The run that asked has its answer, and may have asked another question since.
    if (asked.includes(key)) continue
    await decideWithin(store, runId, { target: call.callId, action }, key, clock.now())
    await wakeAbove(store, await linksAbove(store, runId), `${runId}:${key}`, clock.now())
  }
}

/**
 * Reports the answer to an account's question to the family, because the process that received the answer may have died
 * since.
 */
export async function tellAnswered(core: Pick<AgentCore, 'store' | 'clock'>, runId: string): Promise<void> {
  const { store } = core
  const root = rootIdOf(runId, await storedInput(store, runId))
  const added = (await store.records([rowOf(accountKind, root)])).row(accountKind, root)?.body.added?.at(-1)
  if (added !== undefined) await tellHeld(core, root, { action: 'resume', key: added })
  for (const { runId: held, call } of await heldInFamily(store, root)) {
    const rows = await store.inbox(held, { isOpen: true, kinds: ['decision'] })
    const given = rows.flatMap(({ item }) => (item.kind === 'decision' ? item.decision : []))
    const answer = given.find((one) => one.callId === call.callId && !one.decisionId.startsWith(familyDecision))
    if (answer !== undefined) await shareAnswer(core, call, answer)
  }
}

/**
 * Makes every call above a member check its child again, from the top down, so that the last call finds its parent
 * awake.
 */
export async function wakeAbove(store: Store, links: readonly FamilyLink[], why: string, now: number): Promise<void> {
  for (const link of links.toReversed()) await wake(store, link.parentRunId, link.callId, why, now)
}

/**
 * Returns the runs of a family that wait for its account. In a session whose conversation was handed over, they are below
 * the session's active run.
 */
async function heldInFamily(store: Store, root: string): Promise<readonly HeldRun[]> {
  const { code, session } = (await workerOf(store, root)) ?? {}
  const isHandedOver = code === 'handed_over' && session !== undefined
  const active = isHandedOver ? (await findSession(store, session))?.active?.runId : undefined
  const isNext = active !== undefined && rootIdOf(active, await storedInput(store, active)) === root
  return heldRuns(store, isNext ? active : root)
}

/** Returns the runs that wait for their account, from a run of the family down. */
async function heldRuns(store: Store, runId: string): Promise<readonly HeldRun[]> {
  const worker = await workerOf(store, runId)
  if (worker === undefined) return []
  const calls = (await store.calls(worker.id)).map(({ record }) => record)
  const asked = calls.map(({ suspension }) => suspension?.id)
  const held: HeldRun[] = []
  for (const call of calls) {
    if (call.status !== 'suspended') continue
    if (limitQuestion(call) !== undefined) held.push({ runId: worker.id, call, asked })
    const child = childOf(call)
    if (child !== undefined) held.push(...(await heldRuns(store, child)))
  }
  for (const child of await openWork(store, calls)) held.push(...(await heldRuns(store, child)))
  return held
}
