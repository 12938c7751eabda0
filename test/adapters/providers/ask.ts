import { userMessage, type AssistantMessage, type ModelMessage } from '../../../src/core/domain/message.ts'
import type { Model, ModelEvent, ModelRequest } from '../../../src/core/ports/model.ts'

/** A request of one user message, with whatever is given in place of the defaults. */
export function requestOf(parts: Partial<ModelRequest> = {}): ModelRequest {
  const messages: readonly ModelMessage[] = [userMessage('Hello', 1)]
  return { system: '', messages, tools: [], signal: new AbortController().signal, ...parts }
}

/** The events of a stream until it ended or failed. */
export interface Heard {
  readonly events: readonly ModelEvent[]
  readonly message?: AssistantMessage
  readonly error?: unknown
}

/** Plays a stream to its end; `onEvent` may act in the middle. */
export async function ask(
  model: Model,
  request: ModelRequest = requestOf(),
  onEvent: (event: ModelEvent) => void = () => undefined,
): Promise<Heard> {
  const events: ModelEvent[] = []
  try {
    for await (const event of model.stream(request)) {
      events.push(event)
      onEvent(event)
    }
  } catch (error) {
    return { events, error }
  }
  const last = events.at(-1)
  return last?.type === 'finished' ? { events, message: last.message } : { events }
}
