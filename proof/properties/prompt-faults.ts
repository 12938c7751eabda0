import { toolCallsOf } from '../../src/core/domain/message.ts'
import type { ModelRequest } from '../../src/core/ports/model.ts'

/** The faults of a prompt: each call is followed by its one result, and no prompt ends in an answer. */
export function promptFaults({ messages }: ModelRequest): readonly string[] {
  const faults: string[] = []
  let due: string[] = []
  const miss = () => faults.push(...due.map((callId) => `a prompt holds ${callId} without its result`))
  for (const message of messages) {
    if (message.role === 'toolResult') {
      const next = due.shift()
      if (next !== message.callId) faults.push(`a prompt holds a result of ${message.callId} where ${next} was due`)
      continue
    }
    miss()
    due = message.role === 'assistant' ? toolCallsOf(message).map(({ callId, id }) => callId ?? id) : []
  }
  miss()
  const last = messages.at(-1)?.role
  if (last !== 'user' && last !== 'toolResult') faults.push(`a prompt ends in ${last ?? 'nothing'}`)
  return faults
}
