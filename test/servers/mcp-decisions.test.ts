import { fileURLToPath } from 'node:url'
import { Client, type ClientOptions, type ElicitResult } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect, onTestFinished, test } from 'vitest'
import { compiled } from '../../proof/support/compiled.ts'
import type { Decision, Store } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { cleaner, connected, served, textOf } from './served-cleaner.ts'

const modern: ClientOptions = { versionNegotiation: { mode: 'auto' } }

/** A store, and the decisions it was given. */
function recordingStore() {
  const store = memoryStore()
  const decide = store.decide.bind(store)
  const decided: Decision[] = []
  Object.assign(store, {
    decide: async (...given: Parameters<Store['decide']>) => {
      decided.push(...given[1])
      return await decide(...given)
    },
  })
  const resultOf = async (runId: string) => (await store.calls(runId)).map(({ record }) => record.result?.content)
  return { store, decided, resultOf }
}

test.each([
  ['approve', {}, { action: 'resume' }, 'Deleted old.txt.'],
  ['deny', { reason: 'Not today.' }, { action: 'cancel', reason: 'Not today.' }, 'Not today.'],
  ['deny', {}, { action: 'cancel' }, 'User denied the action'],
  ['respond', { result: 'By hand.' }, { action: 'resume', mode: 'use-as-result', result: 'By hand.' }, 'By hand.'],
])(
  'TOOL-07 stores %s with %j as decided over MCP, and its call gives the reason',
  async (name, given, decision, text) => {
    const { store, decided, resultOf } = recordingStore()
    const { url, token } = await served(cleaner(store).agent)
    const client = await connected(url, token)
    const asked = await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } })
    const { runId } = Object(asked.structuredContent)
    await client.callTool({ name, arguments: { runId, ...given } })
    expect(decided).toMatchObject([{ ...decision, by: 'mcp' }])
    expect('reason' in (decided[0] ?? {})).toBe('reason' in given)
    expect(await resultOf(runId)).toEqual([[{ type: 'text', text: expect.stringContaining(text) }]])
  },
)

const yes = { action: 'accept', content: { answer: 'approve', reason: 'Fine.' } } as const
const no = { action: 'accept', content: { answer: 'deny', reason: 'Keep it.' } } as const
test.each([
  ['a yes', yes, { action: 'resume', reason: 'Fine.' }, 'Deleted old.txt.'],
  ['a no', no, { action: 'cancel', reason: 'Keep it.' }, 'Keep it.'],
  ['no answer', { action: 'decline' } as const, { action: 'cancel' }, 'User denied the action'],
])('TOOL-07 stores %s of an asked client as decided over MCP, with its reason', async (...row) => {
  const [, answer, decision, text] = row
  const { store, decided, resultOf } = recordingStore()
  const { url, token } = await served(cleaner(store).agent)
  const client = await connected(url, token, { ...modern, capabilities: { elicitation: { form: {} } } })
  client.setRequestHandler('elicitation/create', () => answer)
  const result = await client.callTool({ name: 'file_cleaner', arguments: { prompt: 'Tidy up.' } })
  const { runId } = Object(result.structuredContent)
  expect(decided).toMatchObject([{ ...decision, by: 'mcp' }])
  expect(await resultOf(runId)).toEqual([[{ type: 'text', text: expect.stringContaining(text) }]])
})

/** A client of protocol 2025-11-25, over standard input and output, that answers a question in this way. */
async function older(
  answer: ElicitResult | Error,
  capabilities: NonNullable<ClientOptions['capabilities']> = asked2025,
) {
  const client = new Client({ name: 'older', version: '1' }, { capabilities })
  const asked: string[] = []
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message)
      if (answer instanceof Error) throw answer
      return answer
    })
  }
  const program = fileURLToPath(new URL('processes/served-agent.ts', import.meta.url))
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program], env: compiled, stderr: 'ignore' }),
  )
  onTestFinished(() => client.close())
  const result = await client.callTool({ name: 'clerk', arguments: { prompt: 'Send it.' } })
  return { client, asked, result, text: textOf(result) }
}

const asked2025: NonNullable<ClientOptions['capabilities']> = { elicitation: {} }
const question = 'May the agent call "send" with {}?'

test.each([
  ['yes', { action: 'accept', content: { answer: 'approve' } }, [question]],
  ['no', { action: 'accept', content: { answer: 'deny', reason: 'Later.' } }, [question]],
] as const)(
  'TOOL-07 asks a client of 2025 while its call is open, and its %s decides',
  async (_, answer, said) => {
    const { client, asked, text, result } = await older(answer)
    expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25')
    expect([asked, text, result.isError ?? false]).toEqual([said, 'It is out.', false])
  },
  20_000,
)

test.each([
  ['gives no answer', { action: 'cancel' } as const, asked2025, [question]],
  ['fails to ask', new Error('Nobody is here.'), asked2025, [question]],
  ['cannot be asked', new Error('Never.'), {}, []],
])(
  'TOOL-07 tells a client of 2025 that %s what is pending, and the client decides by tool',
  async (_, answer, able, said) => {
    const { client, asked, result, text } = await older(answer, able)
    expect(asked).toEqual(said)
    expect(text).toMatch(/waits for a decision on:\n- 1\.c: send/)
    const { runId } = Object(result.structuredContent)
    expect(textOf(await client.callTool({ name: 'approve', arguments: { runId } }))).toBe('It is out.')
  },
  20_000,
)
