import { isDeepStrictEqual } from 'node:util'
import type { Run } from '../../core/agent/run.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import type { RunResult } from '../../core/driving/run-result.ts'
import type { AssistantMessage } from '../../core/domain/message.ts'
import { noUsage } from '../../core/domain/usage.ts'
import type { Model } from '../../core/ports/model.ts'
import type { Tool } from '../../core/ports/tool.ts'
import { memoryStore } from '../../core/stores/memory/memory-store.ts'
import { compareTrials } from '../crash/compare-trials.ts'
import type { CrashEnvironment } from '../crash/crash-environment.ts'
import type { CrashScenario, Trial } from '../crash/crash-scenario.ts'
import { runTrial } from '../crash/crash-trial.ts'
import { type CrashPoint, pointsUpTo } from '../crash/mortal-process.ts'
import { agentFrom, type AgentSource, optionsOf } from '../paths/agent-under-test.ts'
import type { RecordedAnswer, RecordedEnd, Recording } from './recording.ts'

/** The number of problems after which a replay ends, because further problems are repetitions. */
const enough = 5

/** Plays a recording once with an agent, and returns the differences between both ends. */
export async function playOnce(source: AgentSource, recording: Recording): Promise<readonly string[]> {
  return differences(recording, await play(source, recording))
}

/**
 * Plays a recording with an agent: once undisturbed, and then stopped before and after each write of that run. Returns
 * the differences.
 */
export async function playWithStops(source: AgentSource, recording: Recording): Promise<readonly string[]> {
  const { trial: calm, unasked } = await play(source, recording)
  const problems = [...differences(recording, { trial: calm, unasked })]
  const isAlone = recording.answers.every(({ calls = [] }) => calls.length < 2)
  for (const point of pointsUpTo(calm.writes[0] ?? 0)) {
    if (problems.length >= enough) break
    const { trial: stopped } = await play(source, recording, [point])
    // An interrupted call makes the run wait earlier, so the calls beside it may have other results.
    const isComparable = isAlone || stopped.interruptions === 0
    const found = compareTrials(calm, stopped).filter(({ kind }) => isComparable || kind === 'doubled')
    problems.push(
      ...found.map(({ kind, message }) => `Stopped ${point.side} write ${point.write}: ${kind}: ${message}`),
    )
  }
  return problems.slice(0, enough)
}

/** A trial, with the calls that had a recorded decision more than they asked for. */
interface Played {
  readonly trial: Trial
  readonly unasked: readonly string[]
}

async function play(source: AgentSource, recording: Recording, crashes: readonly CrashPoint[] = []): Promise<Played> {
  const places: Places = new Map()
  const trial = await runTrial(scenarioOf(source, recording, places), { order: [], effectAt: 'end' }, crashes, {
    storage: (clock) => {
      const store = memoryStore({ clock })
      return { reopen: async () => store, dispose: () => store.close() }
    },
  })
  const calls = new Set(recording.decisions.map(({ call }) => call))
  return { trial, unasked: [...calls].filter((callId) => decided(places, callId) < wantedBy(recording, callId)) }
}

/** Returns one trial: the recorded answers as the model, the recorded results as the tools, and the decisions. */
function scenarioOf(source: AgentSource, recording: Recording, places: Places): CrashScenario {
  return {
    name: recording.prompt,
    prompt: recording.prompt,
    build: (environment) => {
      const agent = agentFrom(source)
      const tools = agent.tools.map((tool) => stub(tool, recording, environment, places))
      const script = { name: recording.prompt, turns: [], sample: 1 }
      return { ...optionsOf(agent, script), model: recordedModel(recording, environment), tools }
    },
    play: (run, _, result) => decideAll(run, result, recording, places),
  }
}

/** A message that the next turn read first arrives while the model is asked. */
function recordedModel({ answers, said }: Recording, environment: CrashEnvironment): Model {
  return {
    provider: 'recorded',
    id: 'recorded',
    async *stream({ messages }) {
      const place = messages.filter(({ role }) => role === 'assistant').length
      const answer = answers[place]
      if (answer === undefined)
        throw new Error(`The model was asked ${place + 1} times; recorded are ${answers.length}.`)
      for (const { kind, text, turn } of said) if (turn === place + 2) await environment.say(kind, text)
      yield { type: 'finished', message: messageOf(answer) }
    },
  }
}

function messageOf({ text, calls = [] }: RecordedAnswer): AssistantMessage {
  const shown = text === undefined ? [] : [{ type: 'text' as const, text }]
  return {
    role: 'assistant',
    content: [...shown, ...calls.map((call) => ({ type: 'toolCall' as const, ...call }))],
    stopReason: calls.length === 0 ? 'stop' : 'toolUse',
    provider: 'recorded',
    model: 'recorded',
    usage: noUsage,
    timestamp: 0,
  }
}

/** Returns a tool with its recorded results. It asks until the call has all its decisions, if the tool asked. */
function stub(tool: Tool, recording: Recording, environment: CrashEnvironment, places: Places): Tool {
  const { retry: _, output: __, ...own } = tool
  return {
    ...own,
    execute: async (_input, context) => {
      const { callId } = context
      const result = recording.results[callId]
      if (result === undefined) throw new Error(`The recorded call "${callId}" did not run.`)
      const { asks = 0, status, text, code } = result
      if (asks > 0 && decided(places, callId) < wantedBy(recording, callId)) return context.suspend({ reason: 'input' })
      await environment.perform(context, text)
      return { content: [{ type: 'text', text }], status, ...(code === undefined ? {} : { code }) }
    },
  }
}

/** The number of a call's decision by call id and suspension id. It survives the death of a process. */
type Places = Map<string, number>

function decided(places: Places, callId: string): number {
  return [...places.keys()].filter((known) => known.startsWith(`${callId} `)).length
}

function wantedBy({ decisions }: Recording, callId: string): number {
  return decisions.filter(({ call }) => call === callId).length
}

/** Answers each suspended call with its next recorded decision. A suspension keeps its decision after a stop. */
async function decideAll(
  run: Run,
  { suspended }: RunResult,
  { decisions, ends }: Recording,
  places: Places,
): Promise<void> {
  let count = 0
  for (const { callId, suspension } of suspended) {
    const own = decisions.filter(({ call }) => call === callId)
    const key = `${callId} ${suspension?.id ?? ''}`
    const place = places.get(key) ?? decided(places, callId)
    const decision = own[place]
    if (decision === undefined) continue
    places.set(key, place)
    const { call: target, ...more } = decision
    await run.decide([{ ...more, target, decisionId: `${callId} ${place}` }])
    count++
  }
  if (count > 0) return
  if (ends.reason === 'cancelled') return void (await run.cancel())
  throw new Error(`The run waits for ${suspended.map(({ callId }) => callId).join(', ')}; no decision was recorded.`)
}

function differences({ ends }: Recording, { trial: { ending, problems }, unasked }: Played): readonly string[] {
  const found = problems.map(({ kind, message }) => `${kind}: ${message}`)
  found.push(...unasked.map((callId) => `Call "${callId}" was not asked about as often as recorded.`))
  const expected = plainEnd(ends)
  const actual = plainEnd(endOf(ending))
  if (isDeepStrictEqual(actual, expected)) return found
  return [...found, `The run ended as ${JSON.stringify(actual)}; recorded was ${JSON.stringify(expected)}.`]
}

function endOf(ending: unknown): RecordedEnd {
  if (!isRecord(ending)) throw new Error('The trial has no end.')
  const {
    doneReason: reason,
    code,
    calls,
  } = ending as unknown as {
    readonly doneReason: RecordedEnd['reason']
    readonly code?: string
    readonly calls: readonly (readonly [string, RecordedEnd['calls'][string]])[]
  }
  return { reason, ...(code === undefined ? {} : { code }), calls: Object.fromEntries(calls) }
}

function plainEnd({ calls, ...end }: RecordedEnd) {
  const own = Object.entries(calls).filter(([id]) => !id.startsWith('0.'))
  return { ...end, calls: Object.fromEntries(own.sort(([left], [right]) => left.localeCompare(right))) }
}
