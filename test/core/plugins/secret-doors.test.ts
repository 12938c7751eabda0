import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { oddSecret, secretShapes } from '../../../proof/support/secret-shapes.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { toolNamed } from '../../../proof/support/tools.ts'
import { createAgent, type Model } from '../../../src/index.ts'
import { statelyInspector } from '../../../src/adapters/inspect/index.ts'
import type { Memory } from '../../../src/core/ports/memory.ts'
import { redactSecrets } from '../../../src/core/plugins/index.ts'
import { createAgUiHandlers } from '../../../src/servers/ag-ui.ts'
import { createChatHandlers } from '../../../src/servers/ai-sdk.ts'
import { createHandlers } from '../../../src/servers/http/server.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { recordSessions } from '../../../src/adapters/recorder/index.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { openTelemetry } from '../../../src/adapters/telemetry/index.ts'
import { defaultTools } from '../../../src/adapters/tools/default-tools.ts'
import { unconfined } from '../../../src/adapters/tools/shell.ts'
import { connected, served } from '../../servers/served-cleaner.ts'
import { askStudio, studioFor } from '../../servers/studio/open.ts'
import { namedSecrets } from '../../adapters/tools/named-secrets.ts'

const said = secretShapes.map(({ text }) => text).join('\n')
const environment = Object.fromEntries(namedSecrets.map((name) => [name, `${name}-0123456789`]))
const hidden = [
  ...secretShapes.map(({ what, hidden: letters }) => [what, letters] as const),
  ...Object.entries(environment),
]

/** The secrets that a text shows, even as JSON or as JSON within JSON. */
function leaksOf(text: string): readonly string[] {
  const quoted = (letters: string) => JSON.stringify(letters).slice(1, -1)
  const isIn = (letters: string) =>
    [letters, quoted(letters), quoted(quoted(letters)), quoted(quoted(quoted(letters)))].some((one) =>
      text.includes(one),
    )
  return hidden.filter(([, letters]) => isIn(letters)).map(([what]) => what)
}

/** A tool for each way in which something comes in, and built-in ones for a folder with a file of secrets. */
async function tools() {
  const root = await temporaryFolder()
  await writeFile(join(root, 'keys'), Object.values(environment).join('\n'))
  const builtIn = defaultTools({
    root,
    sandbox: unconfined(),
    run: 'allow',
    environment: { ...process.env, ...environment },
  })
  const needs = { needs: 'approval' as const, preview: () => ({ before: said, [said]: 1 }) }
  const asking = { resume: 'use-as-result' as const }
  return [
    ...builtIn,
    toolNamed('give', () => ({ content: [{ type: 'text', text: said }], details: { said, [said]: said } })),
    toolNamed('fail', () => {
      throw new Error(said)
    }),
    toolNamed('stream', (_, { progress, update }) => {
      progress(said)
      update({ said })
      return 'Done.'
    }),
    toolNamed('ask', (_, { suspend }) => suspend({ message: said, parameters: { said } }), asking),
    toolNamed('write', () => said, needs),
  ]
}

const names = ['give', 'fail', 'stream', 'ask', 'write', 'shell', 'read_file', 'search_files']
const given: Readonly<Record<string, object>> = {
  shell: { command: 'cat keys; cat keys >&2; exit 3' },
  read_file: { path: 'keys' },
  search_files: { query: '0123456789' },
}

test('TOOL-03 PH-01 OBS-01 no secret of 60 names and in 20 shapes leaves anywhere', { timeout: 60_000 }, async () => {
  const doors = new Map<string, string>()
  const heard = (door: string, value: unknown) =>
    void doors.set(door, (doors.get(door) ?? '') + (typeof value === 'string' ? value : JSON.stringify(value)))
  const inner = scripted(({ messages }) =>
    messages.some(({ role }) => role === 'toolResult')
      ? 'Done.'
      : calls(...names.map((name, index) => call(`c${index}`, name, (given[name] ?? {}) as never))),
  )
  const model: Model = { ...inner, stream: (request) => (heard('model', request), inner.stream(request)) }
  const file = join(await temporaryFolder(), 'runs.db')
  const store = sqliteStore(file)
  const inspect = statelyInspector({ send: (message) => heard('inspector', message) })
  const exporter = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const tracer = await openTelemetry({ tracerProvider, content: true })
  const memory: Memory = {
    query: async () => [],
    add: async (item) => heard('memory', item),
    forget: async () => 0,
  }
  const agent = createAgent({
    ...{ name: 'keeper', model, store, memory, inspect, tracer, limits: false },
    tools: await tools(),
    plugins: [redactSecrets([{ name: 'ODD', value: oddSecret }])],
  })
  agent.on((event) => heard('events', event))
  const read = async (door: string, response: Response) => heard(door, await response.text())
  const open = { authorize: () => true }
  const pages = createHandlers(agent, open)
  const chat = createChatHandlers(agent, open)
  const agUi = createAgUiHandlers(agent, open)
  const { url: studio } = await studioFor({ store, agents: [agent] })
  const service = await served(agent)
  const client = await connected(service.url, service.token)
  const post = (path: string, body: object) =>
    new Request(`http://x.example${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const look = async (runId: string) => {
    const run = await agent.load(runId)
    heard('result', [await run.result(), await run.messages(), await agent.suspended({})])
    for (const path of [
      '/runs',
      '/suspended',
      ...['', '/history', '/events?after=0'].map((end) => `/runs/${runId}${end}`),
    ])
      await read('HTTP', await pages.fetch(new Request(`http://x.example${path}`)))
    for (const path of [
      'runs',
      'sessions',
      ...['summary', 'way', 'at/5', 'events?after=0'].map((end) => `runs/${runId}/${end}`),
    ])
      await read('studio', await askStudio(`${studio}api/${path}`))
  }

  const started = (await (await pages.fetch(post('/runs', { prompt: 'Go' }))).json()) as { runId: string }
  await (await agent.load(started.runId)).settled()
  const parts = [{ type: 'text', text: 'Go' }]
  await read(
    'AI SDK',
    await chat.fetch(post('', { id: 'talk', messages: [{ id: 'u', role: 'user', parts }], trigger: 'submit-message' })),
  )
  await read('AI SDK', await chat.fetch(new Request('http://x.example/talk/messages')))
  const agUiInput = { threadId: 'thread', runId: 'r', tools: [], context: [], state: {}, forwardedProps: {} }
  await read(
    'AG-UI',
    await agUi.fetch(post('', { ...agUiInput, messages: [{ id: 'u', role: 'user', content: 'Go' }] })),
  )
  const asked = await client.callTool({ name: 'keeper', arguments: { prompt: 'Go' } })
  heard('MCP', asked)
  const all = [started.runId, String(Object(asked.structuredContent).runId)]
  for (const id of ['talk', 'thread']) all.push((await agent.session(id).state())?.lastRun ?? '')
  for (const runId of all) {
    await look(runId)
    const run = await agent.load(runId)
    const { suspended } = await run.result()
    expect(suspended.map(({ toolName }) => toolName)).toEqual(['ask', 'write'])
    await run.respond(suspended[0]?.callId ?? '', said)
    await run.approve(suspended[1]?.callId ?? '')
    expect((await run.settled()).status).toBe('done')
    await look(runId)
    heard('MCP', await client.readResource({ uri: `run://${runId}` }).catch(String))
  }
  await read('AI SDK', await chat.fetch(new Request('http://x.example/talk/messages')))
  heard('recorder', await recordSessions(store))
  await agent.close()
  await inspect.close()
  heard(
    'spans',
    exporter.getFinishedSpans().map(({ name, attributes, status, events }) => [name, attributes, status, events]),
  )
  const files = () => [file, `${file}-wal`].filter((one) => existsSync(one)).map((one) => readFileSync(one, 'utf8'))
  heard('store', files().join())
  await store.close()
  heard('store', files().join())

  expect([...doors].map(([door, text]) => [door, leaksOf(text)])).toEqual([...doors.keys()].map((door) => [door, []]))
  // The inspector shows no results: its messages hold what the charts do.
  const masking = [...doors].filter(([, text]) => text.includes('[secret')).map(([door]) => door)
  expect(masking.toSorted()).toEqual(
    'AG-UI,AI SDK,HTTP,MCP,events,memory,model,recorder,result,spans,store,studio'.split(','),
  )
  expect(doors.get('inspector')).toContain('toolCall.settled')
})
