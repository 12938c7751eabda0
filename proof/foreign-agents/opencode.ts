import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

const program = join(
  import.meta.dirname,
  'node_modules',
  `opencode-${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`,
  'bin/opencode',
)

/** True if opencode is installed here. */
export const hasOpencode = existsSync(program)

/** Says once that tests on opencode are skipped, if opencode is not installed. */
export function sayNoOpencode(what: string): void {
  const how = 'npm install --ignore-scripts --prefix proof/foreign-agents'
  if (!hasOpencode) console.log(`opencode is not installed (${how}): ${what} skipped`)
}

/** The command that starts opencode as a foreign agent with a model at an address, and with nothing else on the network. */
export function opencodeIn(home: string, baseURL: string) {
  const model = { cost: { input: 1_000, output: 2_000 }, limit: { context: 100_000, output: 1_000 } }
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL, apiKey: 'none' },
    models: { scripted: model },
  }
  const config = {
    ...{ autoupdate: false, share: 'disabled', model: 'local/scripted', small_model: 'local/scripted' },
    provider: { local: provider },
    permission: { edit: 'ask', bash: 'ask' },
  }
  const nowhere = 'http://127.0.0.1:1'
  const env = {
    HOME: home,
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
    ...{ OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
    ...{ OPENCODE_DISABLE_DEFAULT_PLUGINS: '1', HTTPS_PROXY: nowhere, HTTP_PROXY: nowhere, NO_PROXY: '127.0.0.1' },
  }
  return { command: program, args: ['acp'], env }
}

interface ChatMessage {
  readonly role: string
  readonly content?: unknown
}

/** An answer of the model: a text, or a command to run. */
export type ChatAnswer = { readonly text: string } | { readonly run: string }

/** A server that answers as a model of OpenAI does, each request with 100 tokens in and 10 out. */
export async function chatServer(answer: (last: ChatMessage) => ChatAnswer) {
  const piece = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  })
  const piecesOf = (messages: readonly ChatMessage[], hasTools: boolean) => {
    const said = hasTools ? answer(messages.at(-1) ?? { role: 'none' }) : { text: 'A title' }
    if ('text' in said) return [piece({ role: 'assistant', content: said.text }), piece({}, 'stop')]
    const given = { command: said.run, description: 'Runs it' }
    const call = { name: 'bash', arguments: JSON.stringify(given) }
    const tool_calls = [{ index: 0, id: `call_${messages.length}`, type: 'function', function: call }]
    return [piece({ role: 'assistant', tool_calls }), piece({}, 'tool_calls')]
  }
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => (body += String(part)))
    request.on('end', () => {
      const { messages = [], tools = [] } = JSON.parse(body || '{}') as { messages?: ChatMessage[]; tools?: object[] }
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
      const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'scripted' }
      const all = [...piecesOf(messages, tools.length > 0), { choices: [], usage }]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`${all.map((one) => `data: ${JSON.stringify({ ...head, ...one })}\n\n`).join('')}data: [DONE]\n\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close }
}
