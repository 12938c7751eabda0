import type { endCodes } from '../domain/end-codes.ts'
import { rootIdOf } from '../domain/family-link.ts'
import { detailsIn } from '../domain/run-details.ts'
import { originOf } from '../domain/run-origin.ts'
import { StoreError } from '../domain/store-error.ts'
import { messagesIn } from '../domain/transcript-message.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { createRun } from '../driving/create-run.ts'
import { findSession } from '../driving/find-sessions.ts'
import { lateResults } from '../driving/late-results.ts'
import { givenDetails, type GoingOn, planRun } from '../driving/plan-run.ts'
import { type ReadRun, readOriginal } from '../driving/read-original.ts'
import type { Store } from '../ports/store.ts'
import { handoversIn } from './accept-handover.ts'
import { storedInput } from './deliver-ends.ts'
import { LeftToWorkers } from './deliver-results.ts'
import { handoverTarget, isSpeaker, memberNamed, rootOf } from './lineage.ts'
import { accountIn } from './run-account.ts'

/** A run that continues a conversation, and its speaker. */
export interface NextSpeech {
  readonly core: AgentCore
  readonly runId: string
}

/**
 * Returns the agent that continues a conversation after a run, and what is stored with its run if it is another agent.
 */
export async function speechAfter(
  core: AgentCore,
  original: ReadRun,
): Promise<Pick<GoingOn, 'facts'> & { core: AgentCore }> {
  const { record, input, log } = original
  const known = memberNamed(rootOf(core), record.agent)
  const last = known === rootOf(core) || (known && isSpeaker(known)) ? known : core
  if (record.code !== handedOver) return { core: last }
  const answer = messagesIn(log).findLast(
    (one) => one.role === 'toolResult' && handoverTarget(last, one.toolName) !== undefined,
  )
  const next = answer?.role === 'toolResult' ? handoverTarget(last, answer.toolName) : undefined
  if (next === undefined) return { core: last }
  const { speakers = [] } = detailsIn(record.id, input)
  return { core: next, facts: { speakers: [...new Set([...speakers, record.agent])] } }
}

const handedOver: (typeof endCodes.stopped)[number] = 'handed_over'

/**
 * Stores the run that continues the conversation after a hand-over, or finds it. Returns undefined if another run of
 * the session already continues from there, or if this process does not know the agent.
 */
export async function beginHandover(core: AgentCore, runId: string): Promise<NextSpeech | undefined> {
  const original = await readOriginal(core, runId)
  const { record, input } = original
  const { core: next, facts } = await speechAfter(core, original)
  if (record.code !== handedOver || facts === undefined) return undefined
  const account = accountIn(runId, input, true)
  const family = { root: rootIdOf(runId, input), ...(account && { account: account.root }) }
  const handovers = handoversIn(original) + 1
  const from: GoingOn = { original, continuation: { kind: 'default' }, facts: { ...facts, family, handovers } }
  if (record.session !== undefined) {
    const begun = await next.speech?.begin(record.session, from)
    return begun === undefined ? findNext(core, record.session, runId) : { core: next, runId: begun }
  }
  const id = nextId(runId)
  const messages = await lateResults(core.store, original)
  const planned = planRun(next, { id, options: next.runOptions(), messages, given: givenDetails({}) }, from)
  try {
    await createRun(next, planned, false)
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'run_exists' || !(await isAfter(core, id, runId))) throw error
  }
  return { core: next, runId: id }
}

/**
 * Returns the last run of a conversation that was handed over, or the run itself. With a target, it is the first run that
 * has such a call: two runs may have calls of one name, and an answer to the earlier call never reaches the later one.
 */
export async function lastSpeech(core: AgentCore, runId: string, target?: string): Promise<NextSpeech> {
  const isHandedOver = (await core.store.record(runId)).code === handedOver
  if (!isHandedOver || (target !== undefined && (await hasCall(core.store, runId, target)))) return { core, runId }
  const next = await beginHandover(core, runId)
  return next === undefined ? { core, runId } : lastSpeech(next.core, next.runId, target)
}

async function hasCall(store: Store, runId: string, target: string): Promise<boolean> {
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
  if (id === undefined) return undefined
  const found = memberNamed(rootOf(core), (await core.store.record(id)).agent)
  return found && { core: found, runId: id }
}

async function isAfter({ store }: AgentCore, id: string, runId: string): Promise<boolean> {
  const input = await storedInput(store, id)
  return input !== undefined && originOf(id, '', input).parentRunId === runId
}

/** Returns the id of the run after a hand-over outside sessions. */
function nextId(runId: string): string {
  const [, base = runId, count = '0'] = /^(.*)\.to\.(\d+)$/.exec(runId) ?? []
  return `${base}.to.${Number(count) + 1}`
}
