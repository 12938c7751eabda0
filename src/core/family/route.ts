import type { CallRecord } from '../domain/call.ts'
import type { DecisionReceipt } from '../domain/decision.ts'
import { addressOf, type FamilyLink, familyIn, mostLevels, splitAddress } from '../domain/family-link.ts'
import { isRecord } from '../domain/text/json.ts'
import { StoreError } from '../domain/store-error.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { type RunStanding, suspendedCalls } from '../driving/run-result.ts'
import { storeFittingDecisions } from '../driving/store-decisions.ts'
import type { CallRow, Store } from '../ports/store.ts'
import type { DamagedRun, SuspendedFilter, SuspendedRun } from '../ports/store-lists.ts'
import { cancelChildren } from './cancel-family.ts'
import { childOf, deliverEnds, wake } from './deliver-ends.ts'
import { isParent, memberNamed, membersOf } from './lineage.ts'

export { cancelChildren, deliverEnds }

/**
 * Stores decisions about calls of a run and of its members. A member's call is named `<childRunId>/<callId>`. Every call
 * that waits for the member looks at its child again. Receipts come in the order of the items.
 */
export async function decideInFamily(
  core: AgentCore,
  runId: string,
  items: readonly unknown[],
  open?: readonly CallRow[],
): Promise<readonly DecisionReceipt[]> {
  const own = items.filter((item) => addressIn(item) === undefined)
  const waiting = isParent(core) ? await childrenOf(core.store, runId) : []
  const asked = own.filter((item) => refusalFor(item, waiting) === undefined)
  const receipts = asked.length === 0 ? [] : [...(await storeFittingDecisions(core, runId, asked, open))]
  for (const receipt of receipts) await cancelDenied(core, runId, receipt, asked, waiting)
  const answers: DecisionReceipt[] = []
  for (const item of items) {
    const address = addressIn(item)
    const answer =
      address === undefined
        ? (refusalFor(item, waiting) ?? receipts.shift())
        : await decideForMember(core, runId, { ...(item as object), target: address.target }, address.runId)
    answers.push(answer ?? { target: targetIn(item), answer: 'unknown' })
  }
  return answers
}

/** Returns the questions that an answer to a run may mean: those of its own calls and of the members below. */
export async function questionsOf(store: Store, runId: string): Promise<readonly CallRecord[]> {
  const calls = (await store.calls(runId, [])).map(({ record }) => record)
  const found: CallRecord[] = []
  for (const call of calls) {
    if (call.status !== 'suspended') continue
    const child = childOf(call)
    if (child === undefined) found.push(call)
    else found.push(...(await questionsOf(store, child)).map((below) => addressed(child, below)))
  }
  return found
}

/** Lists the questions of members in place of the calls that wait for them. */
export async function withQuestions<Standing extends RunStanding>(store: Store, standing: Standing): Promise<Standing> {
  if (!standing.suspended.some((call) => childOf(call) !== undefined)) return standing
  const suspended = []
  for (const call of standing.suspended) {
    const child = childOf(call)
    if (child === undefined) {
      suspended.push(call)
      continue
    }
    const { calls, log } = await store.read(child)
    const below = suspendedCalls(
      calls.map(({ record }) => record),
      log,
    )
    const { suspended: listed } = await withQuestions(store, { ...standing, suspended: below })
    suspended.push(...listed.map((one) => ({ ...one, callId: addressOf(child, one.callId) })))
  }
  return { ...standing, suspended }
}

/** Lists the waiting runs of an agent and its sub-agents, the newest first, without the calls that wait for a member. */
export async function suspendedInFamily(
  core: AgentCore,
  filter: SuspendedFilter,
): Promise<readonly (SuspendedRun | DamagedRun)[]> {
  const { store } = core
  const lists = await Promise.all(membersOf(core).map(({ name }) => store.suspended({ ...filter, agent: name })))
  const asking = lists.flat().flatMap((run): readonly (SuspendedRun | DamagedRun)[] => {
    if ('damaged' in run) return [run]
    const calls = run.calls.filter((call) => childOf(call) === undefined)
    return calls.length === 0 ? [] : [{ ...run, calls }]
  })
  const createdAt = (run: SuspendedRun | DamagedRun) => ('damaged' in run ? 0 : run.record.createdAt)
  return asking.toSorted((left, right) => createdAt(right) - createdAt(left)).slice(0, filter.limit)
}

/** Before a run is driven: its calls look at children that have ended, or that go on with a stored decision. */
export async function lookAtChildren(core: AgentCore, runId: string): Promise<void> {
  if (!isParent(core)) return
  await deliverEnds(core)
  const { store, clock } = core
  for (const [callId, child] of await childrenOf(store, runId)) {
    const { status, version } = await store.record(child)
    const isReady = status !== 'waiting' || (await store.inbox(child, { isOpen: true })).length > 0
    if (isReady) await wake(store, runId, callId, `${child}:${version}`, clock.now())
  }
}

async function decideForMember(
  core: AgentCore,
  runId: string,
  item: object,
  memberId: string,
): Promise<DecisionReceipt> {
  const { store, clock } = core
  const target = addressOf(memberId, targetIn(item))
  const links = await linksAbove(store, memberId)
  const at = links.findIndex(({ parentRunId }) => parentRunId === runId)
  if (at < 0) return { target, answer: 'unknown', message: `Run "${runId}" has no member "${memberId}".` }
  const { agent } = await store.record(memberId)
  const [receipt] = await decideInFamily(memberNamed(core, agent) ?? core, memberId, [item])
  if (receipt === undefined) return { target, answer: 'unknown' }
  const isStored = ['applied', 'kept', 'duplicate'].includes(receipt.answer)
  // From the top down, so that the call that is looked at last finds its parent awake.
  const why = `${memberId}:${receipt.decisionId ?? target}`
  for (const link of isStored ? links.toReversed() : [])
    await wake(store, link.parentRunId, link.callId, why, clock.now())
  return { ...receipt, target }
}

/** Returns the links of a member up to the root of its family, the nearest first; empty for a run that is no member. */
async function linksAbove(store: Store, memberId: string): Promise<readonly FamilyLink[]> {
  const links: FamilyLink[] = []
  let runId = memberId
  while (links.length < mostLevels) {
    const link = familyIn(await inputOf(store, runId))
    if (link === undefined) break
    links.push(link)
    runId = link.parentRunId
  }
  return links
}

async function inputOf(store: Store, runId: string) {
  try {
    return await store.input(runId)
  } catch (error) {
    if (error instanceof StoreError && error.code === 'run_unknown') return undefined
    throw error
  }
}

/** Returns the children that suspended calls of a run wait for, by call id. */
async function childrenOf(store: Store, runId: string): Promise<readonly (readonly [string, string])[]> {
  const rows = await store.calls(runId, [])
  return rows.flatMap(({ record }) => {
    const child = childOf(record)
    return child === undefined ? [] : [[record.callId, child] as const]
  })
}

/** A call that waits for its child goes on once the child has ended, and not before. */
function refusalFor(item: unknown, waiting: readonly (readonly [string, string])[]): DecisionReceipt | undefined {
  const target = targetIn(item)
  const child = waiting.find(([callId]) => callId === target)?.[1]
  if (child === undefined || !isRecord(item) || item['action'] !== 'resume') return undefined
  const message = `The call waits for its sub-agent. Answer the calls of run "${child}": ${addressOf(child, '<call>')}.`
  return { target, answer: 'refused', message }
}

async function cancelDenied(
  core: AgentCore,
  runId: string,
  { target, answer }: DecisionReceipt,
  items: readonly unknown[],
  waiting: readonly (readonly [string, string])[],
): Promise<void> {
  if (answer !== 'applied' || !waiting.some(([callId]) => callId === target)) return
  const isCancel = items.some((item) => targetIn(item) === target && isRecord(item) && item['action'] === 'cancel')
  if (isCancel) await cancelChildren(core, runId, target)
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

function addressIn(item: unknown) {
  return splitAddress(targetIn(item))
}
