import type { Message, ModelRequest } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'

/** A model without a key: it plays its replies in order, and writes the summary from the tools' results. */
export const clerkModel = scripted([
  {
    text: 'I look at the folder and at what the README says.',
    toolCalls: [
      { name: 'list_files', arguments: { path: 'machines', recursive: true } },
      { name: 'read_file', arguments: { path: 'README.md', fromLine: 1, lines: 12 } },
    ],
  },
  {
    text: 'I look for the charts.',
    toolCalls: [{ name: 'search_files', arguments: { query: 'createMachine(', path: 'machines' } }],
  },
  {
    text: 'I note both.',
    toolCalls: [
      { id: 'first', name: 'note', arguments: { text: 'read the README' } },
      { id: 'second', name: 'note', arguments: { text: 'found the charts' } },
    ],
  },
  (request) => ({
    text: 'I would like to write the summary.',
    toolCalls: [{ name: 'write_file', arguments: { path: 'summary.md', content: summaryOf(request) } }],
  }),
  'The summary is written.',
])

function summaryOf({ messages }: ModelRequest): string {
  const charts = new Set(linesOf(messages, 'search_files').flatMap((line) => /[\w-]+\.machine\.ts/.exec(line) ?? []))
  const files = linesOf(messages, 'list_files').filter((line) => line.endsWith('.ts'))
  const title = linesOf(messages, 'read_file').find((line) => line.includes('# ')) ?? ''
  const name = title.slice(title.indexOf('# ') + 2)
  return `# Summary of ${name}\n\n${files.length} files under machines, with these charts:\n${[...charts].join('\n')}\n`
}

function linesOf(messages: readonly Message[], toolName: string): readonly string[] {
  const texts = messages.flatMap((message) => {
    if (message.role !== 'toolResult' || message.toolName !== toolName) return []
    return message.content.flatMap((block) => (block.type === 'text' ? block.text.split('\n') : []))
  })
  return texts.map((line) => line.trim())
}
