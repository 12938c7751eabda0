import type { Agent } from '../../core/agent/agent.ts'
import { createAgent } from '../../core/agent/create-agent.ts'
import type { Run } from '../../core/agent/run.ts'
import type { Message } from '../../core/domain/message.ts'
import type { Inspect } from '../../core/ports/inspect.ts'
import type { Store } from '../../core/ports/store.ts'
import { memoryStore } from '../../core/stores/memory/memory-store.ts'
import { ManualClock } from '../crash/crash-environment.ts'
import type { AgentSource } from '../paths/agent-under-test.ts'
import { checkGiven } from './check-given.ts'
import { type CallFact, type CallFacts, factsIn } from './call-facts.ts'
import { eventsOf, readRun } from './read-recording.ts'
import { answerRecorded, recordedOptions } from './recorded-agent.ts'
import type { RecordedResult, Recording } from './recording.ts'

/** A call that an agent would treat differently from the stored run. */
export interface CallDifference {
  readonly callId: string
  readonly toolName: string
  /** `asks`: somebody would be asked; `asksNoLonger`: nobody would; `ends`: the call would settle otherwise. */
  readonly kind: 'asks' | 'asksNoLonger' | 'ends'
  /** The difference in one sentence. */
  readonly text: string
}

/** A stored run with another agent. */
export interface WhatIf {
  readonly runId: string
  /** Questions first. Empty if this agent carries the run along alike, as far as the run is known. */
  readonly differences: readonly CallDifference[]
  /** The number of stored answers that the agent was given, and the number of all. */
  readonly answers: { readonly given: number; readonly stored: number }
}

/**
 * Steps a stored run through an agent: its plugins, rules and `needs` receive the stored answers, results, decisions
 * and messages. None of your tools, models or stores is used. Ends at the first point without stored data: a new
 * question, a result that the model has not read, or the last answer. Rejects as `recordRun` does for runs that cannot
 * be read.
 */
export async function whatIf(source: AgentSource, store: Store, runId: string): Promise<WhatIf> {
  checkGiven('whatIf', source, store)
  const { recording, facts } = await readRun(store, runId)
  const replay = await replayed(source, recording)
  const stored = recording.answers.length
  return { runId, differences: compare(facts, replay), answers: { given: replay.given, stored } }
}

/** The result of playing a recording through an agent. */
interface Replayed {
  readonly facts: CallFacts
  readonly given: number
}

/** Thrown in place of an answer that the model would give to another prompt. */
class OtherPrompt extends Error {}

/** Steps a recording through an agent, and shows `inspect` every step of its charts. */
export async function replayed(source: AgentSource, recording: Recording, inspect?: Inspect): Promise<Replayed> {
  const store = memoryStore()
  const runId = 'replayed'
  let [count, given] = [0, 0]
  const outside = {
    perform: async () => {},
    say: async (kind: 'steer' | 'followUp', text: string): Promise<void> => void (await run[kind](text)),
    beforeAnswer: (messages: readonly Message[]) => {
      if (given === recording.answers.length || messages.some((message) => isOther(message, recording)))
        throw new OtherPrompt('The stored run has no answer to this prompt.')
      given++
    },
  }
  const places = new Map<string, number>()
  const agent: Agent = createAgent({
    ...recordedOptions(source, recording, outside, places),
    store,
    ...(inspect === undefined ? {} : { inspect }),
    clock: new ManualClock(),
    ids: { next: (prefix) => `${prefix}_${++count}` },
  })
  const run: Run = agent.start(recording.prompt, { runId })
  for (;;) {
    const result = await run.settled()
    if (result.status === 'done' || !(await answerRecorded(run, result, recording, places))) break
  }
  const facts = factsIn(await eventsOf(store, runId), (callId) => callId)
  await agent.close()
  return { facts, given }
}

/** Returns true for a result that the stored run did not have. */
function isOther(message: Message, { results, ends }: Recording): boolean {
  if (message.role !== 'toolResult' || ends.calls[message.callId] === undefined) return false
  // A call that was denied or cancelled has a result without a code.
  const { status, code }: Pick<RecordedResult, 'status' | 'code'> = results[message.callId] ?? { status: 'error' }
  return status !== message.status || code !== message.code
}

function compare(before: CallFacts, { facts: after }: Replayed): readonly CallDifference[] {
  const found = [...after].flatMap(([callId, fact]): readonly CallDifference[] => {
    const stored = before.get(callId)
    const text = stored === undefined ? undefined : sentenceOf(callId, stored, fact)
    return text === undefined ? [] : [{ callId, toolName: fact.toolName, ...text }]
  })
  return found.toSorted((left, right) => Number(left.kind === 'ends') - Number(right.kind === 'ends'))
}

function sentenceOf(
  callId: string,
  stored: CallFact,
  now: CallFact,
): Pick<CallDifference, 'kind' | 'text'> | undefined {
  const call = `${now.toolName} (${callId})`
  const fresh = now.asked.slice(stored.asked.length)[0]
  if (fresh !== undefined) return { kind: 'asks', text: `would ask about ${call}, because of ${fresh}` }
  const isKnown = now.ended !== undefined
  if (isKnown && now.asked.length < stored.asked.length)
    return { kind: 'asksNoLonger', text: `would no longer ask about ${call}` }
  if (!isKnown || stored.ended === undefined || stored.ended === now.ended) return undefined
  return { kind: 'ends', text: `${call} would end ${now.ended}, and ended ${stored.ended}` }
}
