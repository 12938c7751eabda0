import type { Model, ModelRequest } from '../../src/core/ports/model.ts'
import { scripted, type ScriptedReply } from '../../src/adapters/providers/scripted.ts'
import { start } from './fake-clock.ts'
import { say } from './say.ts'

/** A scripted model that keeps what it is asked with, each request told in a few words. */
export function recorded(replies: readonly ScriptedReply[], id = 'scripted', asked: unknown[] = []) {
  const inner = scripted(replies, { id, now: () => start })
  const model: Model = {
    ...inner,
    stream(request) {
      asked.push(told(request, id))
      return inner.stream(request)
    },
  }
  return { model, asked }
}

/** The messages as lines, the tools as names, the settings that were made. */
function told(
  { messages, tools, signal: _signal, system: _system, seen: _seen, ...settings }: ModelRequest,
  model: string,
) {
  return { model, messages: messages.map(say), tools: tools.map(({ name }) => name), ...settings }
}
