import { type UserMessage, userMessage } from '../../src/core/domain/message.ts'
import { start } from './fake-clock.ts'

/** Returns a number of user messages, each with its number, with the given estimated tokens in total. */
export function messagesOf(count: number, tokens: number): readonly UserMessage[] {
  const each = Math.floor(tokens / count)
  return Array.from({ length: count }, (_, index) => {
    const own = index === 0 ? tokens - each * (count - 1) : each
    return userMessage(`${String(index).padStart(4, '0')}${'x'.repeat((own - 4) * 4 - 4)}`, start)
  })
}
