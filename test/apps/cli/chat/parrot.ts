import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Writes a module with an agent that repeats what it was told last, and returns the chat with it. Its tools hang until one
 * is cancelled and the other has a letter; its answer to `endless` does not end.
 */
export async function echoing(cwd: string): Promise<readonly string[]> {
  const engine = new URL('../../../../src/', import.meta.url).href
  const text = `
    import { readFile } from 'node:fs/promises'
    import { createAgent, tool, textOf } from '${engine}index.ts'
    import { scripted } from '${engine}adapters/providers/scripted.ts'
    const hang = tool({
      name: 'hang', description: 'Hangs', input: { type: 'object' },
      execute: async (_, { signal }) => await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    })
    const wait = tool({
      name: 'wait', description: 'Waits for a letter', input: { type: 'object' },
      execute: async () => await readFile('letterbox', 'utf8'),
    })
    const model = scripted(({ messages }) => {
      const last = messages.at(-1)
      if (last.role === 'toolResult') return 'It was ended.'
      const said = textOf(last)
      const calls = { both: ['wait', 'hang'], hang: ['hang'], letter: ['wait'] }
      const called = calls[said] ?? []
      const toolCalls = called.map((name) => ({ name, arguments: {} }))
      return called.length > 0 ? { toolCalls } : 'You said ' + said + '.'
    })
    async function* stream(request) {
      for await (const event of model.stream(request)) {
        if (event.type === 'finished' && textOf(request.messages.at(-1)) === 'endless')
          await new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason)))
        yield event
      }
    }
    const slow = { ...model, stream }
    export default (store) => [createAgent({ name: 'parrot', model: slow, tools: [hang, wait], store })]`
  await writeFile(join(cwd, 'parrot.mjs'), text)
  return ['chat', '--agents', 'parrot.mjs', '--store', 'runs.db']
}
