import type { AgentEvent } from '../domain/event.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import type { NextSpeech } from './begin-handover.ts'

/** Goes on with the events of the run that a conversation was handed over to. */
export function followedOn(
  own: AsyncIterator<AgentEvent>,
  core: AgentCore,
  eventsOf: (next: NextSpeech) => AsyncIterable<AgentEvent>,
): AsyncIterator<AgentEvent> {
  return core.speech === undefined ? own : chained(own, core, eventsOf)
}

async function* chained(
  own: AsyncIterator<AgentEvent>,
  core: AgentCore,
  eventsOf: (next: NextSpeech) => AsyncIterable<AgentEvent>,
): AsyncGenerator<AgentEvent> {
  let ended: Extract<AgentEvent, { type: 'run.ended' }> | undefined
  for await (const event of { [Symbol.asyncIterator]: () => own }) {
    if (event.type === 'run.ended') ended = event
    yield event
  }
  const next = ended?.outcome.code === 'handed_over' ? await handedOn(core, ended.runId) : undefined
  if (next !== undefined) yield* eventsOf(next)
}

/** Returns the last run of a conversation that was handed over, or the first one with the call that is the target. */
export async function speaking(core: AgentCore, runId: string, target?: string): Promise<NextSpeech> {
  if (core.speech === undefined) return { core, runId }
  return (await import('./begin-handover.ts')).lastSpeech(core, runId, target)
}

/** Returns the run that continues a conversation after a hand-over. */
export async function handedOn(core: AgentCore, runId: string): Promise<NextSpeech | undefined> {
  return (await import('./begin-handover.ts')).beginHandover(core, runId)
}
