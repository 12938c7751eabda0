import { countedIds } from '../support/test-agent.ts'
import { hearWorker } from '../support/heard-worker.ts'
import type { FakeClock } from '../support/fake-clock.ts'
import { type Agent, type Json, type ModelRequest, type Run, type Store, textOf } from '../../src/index.ts'
import { createWorker } from '../../src/core/workers/worker.ts'
import { agentOf, type Version } from './old-version.ts'

/** The events of a run up to the next model answer. */
export interface Happened {
  /** The code of the error with which the run was refused. */
  readonly refused?: string | undefined
  /** Each call with its end, or with the question that it waits for. */
  readonly calls: readonly string[]
  /** The first request to the model. */
  readonly asked?: object | undefined
  /** The cost of the answer. */
  readonly cost?: number | undefined
}

/** A request to a model, of the run itself or of one below. */
interface Asked {
  readonly isBelow: boolean
  readonly request: object
}

function askedOf({ system, tools, output, temperature }: ModelRequest, id: string): Asked {
  return { request: { system, tools, output, temperature, id }, isBelow: id.endsWith('-helper') }
}

/** Has a worker of a version drive what it may take over, one run after the other. Returns the requests, by run. */
export async function takenOver(
  version: Version,
  { store, clock }: { readonly store: Store; readonly clock: FakeClock },
): Promise<ReadonlyMap<string, readonly Asked[]>> {
  const taken = new Map<string, Asked[]>()
  let now: Asked[] = []
  const outside = { store, clock, ids: countedIds('w') }
  const agent = agentOf(version, outside, (request, { id }) => void now.push(askedOf(request, id)))
  {
    await using worker = createWorker({ agents: [agent], concurrency: 1 })
    worker.on((event) => {
      if (event.type === 'claimed') taken.set(event.runId, (now = []))
    })
    await hearWorker(worker).until(({ type }) => type === 'idle')
  }
  await agent.close()
  return taken
}

/** Has a version carry a run and its children on: every question is approved as it was asked, once. */
export async function carriedOn(
  version: Version,
  runId: string,
  { store, clock, taken = [] }: { readonly store: Store; readonly clock: FakeClock; readonly taken?: readonly Asked[] },
): Promise<ReadonlyMap<string, Happened>> {
  const asked = [...taken]
  const ids = countedIds(`n-${runId}`)
  const agent = agentOf(version, { store, clock, ids }, (request, { id }) => void asked.push(askedOf(request, id)))
  const said: string[] = []
  const refused = await refusalOf(() => answerAll(agent, store, runId, said))
  const below = (await store.list({ limit: 1_000 })).filter(({ id }) => id.startsWith(`${runId}.`))
  const happened = new Map<string, Happened>()
  for (const id of [runId, ...below.map((one) => one.id)]) {
    const isBelow = id !== runId
    // A child whose parent does not look at it any more is driven by itself.
    const why = isBelow ? await refusalOf(async () => void (await (await agent.load(id)).settled())) : refused
    const first = asked.find((one) => one.isBelow === isBelow)?.request
    happened.set(id, {
      refused: why,
      calls: [...(isBelow ? [] : said), ...(await callsOf(store, id)), await endOf(store, id)],
      asked: first,
      cost: first && (await costOf(store, id)),
    })
  }
  await agent.close()
  return happened
}

async function answerAll(agent: Agent, store: Store, runId: string, said: string[]): Promise<void> {
  const run = await agent.load(runId)
  const stored = await store.inbox(runId, { kinds: ['decision'], isOpen: true })
  const answered = new Set(stored.map(({ item }) => (item.kind === 'decision' ? item.decision.callId : '')))
  for (;;) {
    const { suspended } = await run.settled()
    const open = suspended.filter(({ callId }) => !answered.has(callId))
    if (open.length === 0) return
    for (const { callId, toolName, suspension, resumeMode, isSent } of open) {
      answered.add(callId)
      const mode = isSent === true ? 'use-as-result' : resumeMode
      const receipts = await answer(run, callId, isHold(suspension?.reason) ? 'replay' : mode)
      said.push(`${callId} ${toolName} asked for ${suspension?.reason}: ${receipts.join(', ')}`)
    }
  }
}

/** Returns true for the reason of a question of the run itself, which is approved. */
function isHold(reason: string | undefined): boolean {
  return reason === 'model_unavailable' || reason === 'permission'
}

/** Gives a value that the old version takes, and one that each version takes if that is refused. */
async function answer(run: Run, callId: string, mode: string): Promise<readonly string[]> {
  if (mode === 'replay') return [(await run.approve(callId)).answer]
  const give = (value: Json) => (mode === 'pass-to-tool' ? run.pass(callId, value) : run.respond(callId, value))
  const [first, second] = mode === 'pass-to-tool' ? [{ n: -1 }, { n: 1, amount: 1 }] : [{ paid: 1 }, 'paid']
  const receipt = await give(first)
  return receipt.answer === 'refused' ? ['refused', (await give(second)).answer] : [receipt.answer]
}

async function refusalOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    return String(Reflect.get(error as object, 'code') ?? error)
  }
}

async function callsOf(store: Store, runId: string): Promise<readonly string[]> {
  return (await store.calls(runId)).map(({ record: { callId, status, suspension, result } }) => {
    const text = result === undefined ? suspension?.reason : `${result.code ?? ''} ${textOf(result)}`
    return `${callId} ${status} ${text}`
  })
}

async function endOf(store: Store, runId: string): Promise<string> {
  const { status, doneReason, error } = await store.record(runId)
  return `${status} ${doneReason} ${error?.message ?? ''}`
}

async function costOf(store: Store, runId: string): Promise<number | undefined> {
  const { log } = await store.read(runId)
  return log
    .flatMap((entry) => (entry.kind === 'message' && entry.message.role === 'assistant' ? entry.message : []))
    .at(-1)?.cost
}
