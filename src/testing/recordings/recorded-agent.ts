import { unboundTool } from '../../core/family/bind-child-tools.ts'
import type { AgentOptions } from '../../core/agent/options.ts'
import type { Run } from '../../core/agent/run.ts'
import type { AssistantMessage, Message } from '../../core/domain/message.ts'
import { noUsage } from '../../core/domain/usage.ts'
import type { RunResult } from '../../core/driving/run-result.ts'
import type { Model } from '../../core/ports/model.ts'
import type { Tool, ToolContext } from '../../core/ports/tool.ts'
import { agentFrom, type AgentSource, optionsOf } from '../paths/agent-under-test.ts'
import type { RecordedAnswer, Recording } from './recording.ts'

/** The effects of a replay on the outside. */
export interface ReplayOutside {
  perform(context: ToolContext, result: string): Promise<unknown>
  say(kind: 'steer' | 'followUp', text: string): Promise<unknown>
  /** Called with the prompt before each answer; throws to end the replay. */
  beforeAnswer?(messages: readonly Message[]): void
}

/** The number of a call's decision by call id and suspension id. It survives the death of a process. */
export type Places = Map<string, number>

/** Returns an agent's options with the recorded answers as the model and the recorded results as the tools. */
export function recordedOptions(
  source: AgentSource,
  recording: Recording,
  outside: ReplayOutside,
  places: Places,
): AgentOptions {
  const agent = agentFrom(source)
  const tools = agent.tools.map((tool) => stub(tool, recording, outside, places))
  const script = { name: recording.prompt, turns: [], sample: 1 }
  return { ...optionsOf(agent, script), model: recordedModel(recording, outside), tools }
}

/** A message that the next turn read first arrives while the model is asked. */
function recordedModel({ answers, said }: Recording, outside: ReplayOutside): Model {
  return {
    provider: 'recorded',
    id: 'recorded',
    async *stream({ messages }) {
      outside.beforeAnswer?.(messages)
      const place = messages.filter(({ role }) => role === 'assistant').length
      const answer = answers[place]
      if (answer === undefined)
        throw new Error(`The model was asked ${place + 1} times; recorded are ${answers.length}.`)
      for (const { kind, text, turn } of said) if (turn === place + 2) await outside.say(kind, text)
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
function stub(tool: Tool, recording: Recording, outside: ReplayOutside, places: Places): Tool {
  const { retry: _, output: __, ...own } = unboundTool(tool)
  return {
    ...own,
    execute: async (_input, context) => {
      const { callId } = context
      const result = recording.results[callId]
      if (result === undefined) throw new Error(`The recorded call "${callId}" did not run.`)
      const { asks = 0, status, text, code } = result
      if (asks > 0 && decided(places, callId) < wantedBy(recording, callId)) return context.suspend({ reason: 'input' })
      await outside.perform(context, text)
      return { content: [{ type: 'text', text }], status, ...(code === undefined ? {} : { code }) }
    },
  }
}

/** Returns the number of a call's decisions that the replay has given. */
export function decided(places: Places, callId: string): number {
  return [...places.keys()].filter((known) => known.startsWith(`${callId} `)).length
}

/** Returns the number of a call's recorded decisions. */
export function wantedBy({ decisions }: Recording, callId: string): number {
  return decisions.filter(({ call }) => call === callId).length
}

/**
 * Answers each suspended call with its next recorded decision, or cancels the run if it was cancelled. Returns false if
 * nothing was recorded for this wait. A suspension keeps its decision after a stop.
 */
export async function answerRecorded(
  run: Run,
  { suspended }: RunResult,
  recording: Recording,
  places: Places,
): Promise<boolean> {
  let count = 0
  for (const { callId, suspension } of suspended) {
    const key = `${callId} ${suspension?.id ?? ''}`
    const place = places.get(key) ?? decided(places, callId)
    const decision = recording.decisions.filter(({ call }) => call === callId)[place]
    if (decision === undefined || (decision.service === true) !== (suspension?.reason === 'service')) continue
    places.set(key, place)
    const { call: target, service: _, ...more } = decision
    await run.decide([{ ...more, target, decisionId: `${callId} ${place}` }])
    count++
  }
  if (count > 0 || recording.ends.reason !== 'cancelled') return count > 0
  await run.cancel()
  return true
}
