import type { AgentEvent } from '../../src/index.ts'

/** Prints the events as they arrive, one line each, until the run rests. */
export async function printEvents(events: AsyncIterable<AgentEvent>): Promise<void> {
  for await (const event of events) {
    const line = lineOf(event)
    if (line !== undefined) console.log(line)
    if (event.type === 'run.ended' || event.type === 'run.waiting') return
  }
}

function lineOf(event: AgentEvent): string | undefined {
  if (event.type.startsWith('run.')) return event.type
  if (event.type === 'turn.started') return `turn ${event.turn}`
  if (event.type === 'toolExecution.ended') return `  ${event.toolName} ${event.callId} ${event.status}`
  if (event.type !== 'toolExecution.started') return undefined
  return `  ${event.toolName} ${event.callId} runs (attempt ${event.attempt})`
}
