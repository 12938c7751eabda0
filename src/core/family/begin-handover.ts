import type { endCodes } from '../domain/end-codes.ts'
import { isTerminal } from '../domain/call.ts'
import { familyIn, type FamilyLink, handoverIdOf, rootIdOf, splitAddress } from '../domain/family-link.ts'
import { detailsIn } from '../domain/run-details.ts'
import { originOf } from '../domain/run-origin.ts'
import { ifStored, isRefusal } from '../domain/store-error.ts'
import { defined, isRecord, type Json, type JsonObject } from '../domain/text/json.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { createRun } from '../driving/create-run.ts'
import { findSession } from '../driving/find-sessions.ts'
import { hasAbandoned, lateResults } from '../driving/late-results.ts'
import { givenDetails, type GoingOn, planRun } from '../driving/plan-run.ts'
import { type ReadRun, readOriginal } from '../driving/read-original.ts'
import { nextSpeechOf } from '../driving/worker-of.ts'
import type { Store } from '../ports/store.ts'
import { handingCall, handoversIn } from './accept-handover.ts'
import { cancelChild, linksAbove, storedInput } from './deliver-ends.ts'
import { LeftToWorkers } from './deliver-results.ts'
import { beginnerOf, handoverTarget, memberNamed, rootOf } from './lineage.ts'
import { accountIn } from './run-account.ts'

/** A run that continues a conversation, and the agent of that run. */
export interface NextSpeech {
  readonly core: AgentCore
  readonly runId: string
}

/**
 * Returns the agent that continues a conversation after a run, with the data to store with its run if it is a different
 * agent.
 */
export async function speechAfter(
  core: AgentCore,
  original: ReadRun,
): Promise<Pick<GoingOn, 'facts'> & { core: AgentCore }> {
  const { record, input } = original
  const known = memberNamed(rootOf(core), record.agent)
  const isOwn = known !== undefined && beginnerOf(known) === beginnerOf(core)
  const last = isOwn ? known : core
  const { speakers = [] } = detailsIn(record.id, input)
  // After a group, the session continues without the rules of the agents of its branch.
  if (!isOwn && familyIn(input) !== undefined && record.code !== handedOver && speakers.length > 0)
    return { core, facts: { speakers: speakers.filter(isOutside(record.agent)) } }
  const call = record.code === handedOver ? await handingCall(last, record.id) : undefined
  const next = call && handoverTarget(last, call.toolName)
  if (next === undefined) return { core: last }
  return { core: next, facts: { speakers: [...new Set([...speakers, record.agent])] } }
}

/** Returns a test for the names of agents that are not in the branch of a group with another one. */
function isOutside(agent: string): (name: string) => boolean {
  const branch = `${agent.split('/').slice(0, 3).join('/')}/`
  return (name) => !`${name}/`.startsWith(branch)
}

const handedOver: (typeof endCodes.stopped)[number] = 'handed_over'

/**
 * Stores the run that continues the conversation after a hand-over, or finds it. Returns undefined if another run of
 * the session already continues from there, if this process does not know the agent, or if nobody waits for the run.
 */
export async function beginHandover(core: AgentCore, runId: string): Promise<NextSpeech | undefined> {
  const { store } = core
  const found = await nextSpeechOf(store, runId)
  if (found !== undefined) return speechIn(core, found)
  const original = await readOriginal(core, runId)
  const { record, input } = original
  const { core: next, facts } = await speechAfter(core, original)
  if (record.code !== handedOver || facts === undefined) return undefined
  const account = accountIn(runId, input, true)
  const link = familyIn(input)
  const place = link === undefined ? { root: rootIdOf(runId, input) } : { ...link, child: link.child ?? runId }
  const family = { ...place, ...(account && { account: account.root }) }
  const handovers = handoversIn(original) + 1
  const continuation = { kind: 'default' } as const
  const from: GoingOn = { original, continuation, facts: { ...facts, family, handovers } }
  if (record.session !== undefined && link === undefined) {
    const begun = await next.speech?.begin(record.session, from)
    return begun === undefined ? findNext(core, record.session, runId) : { core: next, runId: begun }
  }
  if (link !== undefined && (await isUnwanted(store, link))) return undefined
  const id = handoverIdOf(runId)
  const messages = await lateResults(store, original)
  const run = { id, options: next.runOptions(), messages, given: givenDetails({}), facts: placeIn(input) }
  const planned = { ...planRun(next, run, from), ...defined({ session: record.session }) }
  try {
    await createRun(next, planned, false)
  } catch (error) {
    if (!isRefusal(error, 'run_exists') || (await nextSpeechOf(store, runId)) === undefined) throw error
  }
  // A run that was stored while its call was cancelled missed the message.
  if (link !== undefined && (await isUnwanted(store, link))) await cancelChild(store, id, link, core.clock.now())
  return { core: next, runId: id }
}

/** Returns true if the call that a member works for was cancelled, or its run has ended and abandoned the work. */
async function isUnwanted(store: Store, { parentRunId, callId, background }: FamilyLink): Promise<boolean> {
  const parent = await ifStored(store.record(parentRunId))
  if (parent === undefined) return true
  if (background === true) return hasAbandoned(parent)
  const calls = await store.calls(parentRunId, [callId])
  return !calls.some(({ record }) => record.callId === callId && !isTerminal(record.status))
}

/** Returns the place of a branch in its session, from which its conversation continues. */
function placeIn(input: Json): JsonObject {
  const { session, index, configId, parallelGroup } = isRecord(input) ? input : {}
  return defined({ session, index, configId, parallelGroup })
}

async function speechIn(core: AgentCore, runId: string): Promise<NextSpeech | undefined> {
  const known = memberNamed(rootOf(core), (await core.store.record(runId)).agent)
  return known && { core: known, runId }
}

/**
 * Returns the last run of a handed-over conversation, or the run itself. With a target, returns the first run that has
 * such a call or member, because two runs may have calls with the same name, and an answer to the earlier call must
 * never reach the later one.
 */
export async function lastSpeech(core: AgentCore, runId: string, target?: string): Promise<NextSpeech> {
  const isHandedOver = (await core.store.record(runId)).code === handedOver
  if (!isHandedOver || (target !== undefined && (await hasCall(core.store, runId, target)))) return { core, runId }
  const next = await beginHandover(core, runId)
  return next === undefined ? { core, runId } : lastSpeech(next.core, next.runId, target)
}

async function hasCall(store: Store, runId: string, target: string): Promise<boolean> {
  const member = splitAddress(target)?.runId
  if (member !== undefined) return (await linksAbove(store, member)).some((link) => link.parentRunId === runId)
  const calls = await store.calls(runId, [target])
  return calls.some(({ record: { callId, toolCallId, suspension } }) =>
    [callId, toolCallId, suspension?.id].includes(target),
  )
}

/** Continues a conversation after a hand-over. A process that does not know both agents leaves it to workers. */
export async function handOver(
  store: Store,
  runId: string,
  coreOf: (agent: string) => AgentCore | undefined,
): Promise<NextSpeech | undefined> {
  if ((await storedInput(store, runId)) === undefined) return undefined
  const member = coreOf((await store.record(runId)).agent)
  const speech = member && (await speechAfter(member, await readOriginal(member, runId)))
  if (speech?.facts === undefined) throw new LeftToWorkers(`The agent after run "${runId}" is unknown here.`)
  return beginHandover(speech.core, runId)
}

/** Returns the run of a session that continues another one. */
async function findNext(core: AgentCore, sessionId: string, runId: string): Promise<NextSpeech | undefined> {
  const session = await findSession(core.store, sessionId)
  let id = session?.active?.runId ?? session?.lastRun
  while (id !== undefined && !(await isAfter(core, id, runId))) {
    const input = await storedInput(core.store, id)
    id = input === undefined ? undefined : originOf(id, '', input).parentRunId
  }
  return id === undefined ? undefined : speechIn(core, id)
}

async function isAfter({ store }: AgentCore, id: string, runId: string): Promise<boolean> {
  const input = await storedInput(store, id)
  return input !== undefined && originOf(id, '', input).parentRunId === runId
}
