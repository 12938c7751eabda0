import type { ModelMessage } from '../domain/message.ts'
import type { Base } from './cut.ts'

/** Returns the replacement of a prompt, with places instead of its own messages: the log stores only new ones. */
export function baseOf(messages: readonly ModelMessage[], prompt: readonly ModelMessage[]): Base {
  const places = new Map(prompt.map((message, place) => [message, place]))
  const list: ([number, number] | ModelMessage)[] = []
  for (const message of messages) {
    const place = places.get(message)
    const last = list.at(-1)
    if (place === undefined) list.push(message)
    else if (Array.isArray(last) && last[1] === place) last[1]++
    else list.push([place, place + 1])
  }
  return { upTo: prompt.length, list }
}
