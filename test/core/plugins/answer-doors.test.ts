import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { type FakeClock, fakeClock } from '../../../proof/support/fake-clock.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { createAgent, type Plugin } from '../../../src/index.ts'
import { serveAcp } from '../../../src/servers/acp.ts'
import { allOf, connect, saying, serve } from '../../servers/a2a/client.ts'
import { connected, served } from '../../servers/served-cleaner.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import type { Store } from '../../../src/core/ports/store.ts'
import { createAgUiHandlers } from '../../../src/servers/ag-ui.ts'
import { createChatHandlers } from '../../../src/servers/ai-sdk.ts'
import { createHandlers } from '../../../src/servers/http/server.ts'
import { recordSessions } from '../../../src/adapters/recorder/index.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { openTelemetry } from '../../../src/adapters/telemetry/index.ts'
import { statelyInspector } from '../../../src/adapters/inspect/index.ts'
import { MortalProcess } from '../../../src/testing/crash/mortal-process.ts'
import { mortalStore } from '../../../src/testing/crash/mortal-store.ts'
import {
  agUiRequest,
  chatRequest,
  hiding,
  lettersIn,
  pairIn,
  places,
  refusing,
  secret,
  teller,
} from './secret-teller.ts'

test.for<[string, Plugin, number]>([
  ['refused whole', refusing, 0],
  ['hidden whole', hiding, 0],
  ['refused in a window of 24', { ...refusing, answerWindow: 24 }, 0],
  ['hidden in a window of 24', { ...hiding, answerWindow: 24 }, 0],
  ['refused in a window of 8', { ...refusing, answerWindow: 8 }, 16],
])(
  'PH-05 EVT-02 OBS-01 no letter of a word beyond the window leaves anywhere, %s, however its deltas are split',
  { timeout: 60_000 },
  async ([, plugin, most]) => {
    const { model, splitAt } = teller()
    const file = join(await temporaryFolder(), 'runs.db')
    const store = sqliteStore(file, { synchronous: 'normal' })
    const exporter = new InMemorySpanExporter()
    const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
    const tracer = await openTelemetry({ tracerProvider, content: true })
    const doors = new Map<string, string>()
    const heard = (door: string, value: unknown) =>
      void doors.set(door, (doors.get(door) ?? '') + (typeof value === 'string' ? value : JSON.stringify(value)))
    const inspect = statelyInspector({ send: (message) => heard('inspector', message) })
    const { agent } = testAgent({ model, store, tracer, inspect, plugins: [plugin] })
    agent.on((event) => heard('events', event))
    const open = { authorize: () => true }
    const pages = createHandlers(agent, open)
    const chat = createChatHandlers(agent, open)
    const agUi = createAgUiHandlers(agent, open)
    for (const place of places) {
      splitAt(place)
      const runId = `run-${place}`
      const run = agent.start('Tell', { runId })
      const following = run.settled()
      const stream = await pages.fetch(new Request(`http://x.example/runs/${runId}/events?deltas=1`))
      heard('HTTP', await stream.text())
      const result = await following
      expect(result.text).toBe(plugin.name === 'hiding' ? 'The word is [hidden], as I know it.' : 'I do not say it.')
      heard('result', [result, await run.messages(), await run.history()])
      heard('AI SDK', await (await chat.fetch(chatRequest(`talk-${place}`, 'Tell'))).text())
      heard('AG-UI', await (await agUi.fetch(agUiRequest(`thread-${place}`, 'Tell'))).text())
      heard('store', await store.read(runId))
    }
    heard('recorder', await recordSessions(store))
    await agent.close()
    await inspect.close()
    const spans = exporter.getFinishedSpans()
    heard(
      'spans',
      spans.map(({ name, attributes, status, events }) => [name, attributes, status, events]),
    )
    heard('file', pairIn(file))
    await store.close()
    heard('file', pairIn(file))

    // Only released text was stored, so no window shows a letter of the word.
    const live = ['events', 'HTTP', 'AI SDK', 'AG-UI']
    const allowed = secret.slice(0, most)
    for (const [door, text] of doors) {
      const letters = lettersIn(text)
      expect([door, live.includes(door) ? allowed.startsWith(letters) : letters === '']).toEqual([door, true])
    }
    expect([...doors.keys()].toSorted()).toEqual([
      'AG-UI',
      'AI SDK',
      'HTTP',
      'events',
      'file',
      'inspector',
      'recorder',
      'result',
      'spans',
      'store',
    ])
  },
)

test.for<[string, Plugin, number]>([
  ['refused in a window of 8', { ...refusing, answerWindow: 8 }, 16],
  ['hidden whole', hiding, 0],
])(
  'PH-05 SRV-02 SRV-03 no letter beyond the window leaves by A2A, ACP or MCP, %s',
  { timeout: 60_000 },
  async ([, plugin, most]) => {
    const { model, splitAt } = teller()
    const store = memoryStore()
    const doors = new Map<string, string>()
    const heard = (door: string, value: unknown) =>
      void doors.set(door, (doors.get(door) ?? '') + (typeof value === 'string' ? value : JSON.stringify(value)))
    const agent = createAgent({ name: 'teller', model, store, plugins: [plugin] })
    const task = await serve(agent)
    const remote = await connect(task.url)
    const mcp = await served(agent)
    const client = await connected(mcp.url, mcp.token)
    const [input, output] = [new PassThrough(), new PassThrough()]
    const serving = await serveAcp(agent, { input, output })
    const editor = acp
      .client({ name: 'editor' })
      .onNotification('session/update', ({ params }) => heard('ACP', params))
      .connect(acp.ndJsonStream(Writable.toWeb(input), Readable.toWeb(output) as ReadableStream<Uint8Array>)).agent
    await editor.request('initialize', { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = await editor.request('session/new', { cwd: await temporaryFolder(), mcpServers: [] })
    for (const place of places) {
      splitAt(place)
      heard('A2A', await allOf(remote.sendMessageStream(saying('Tell'))))
      heard('MCP', await client.callTool({ name: 'teller', arguments: { prompt: 'Tell' } }))
      heard('ACP', await editor.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Tell' }] }))
    }
    for (const { id } of await store.list({ limit: 1_000 })) heard('store', await store.read(id))
    await serving.close()
    await agent.close()

    const live = ['A2A', 'ACP', 'MCP']
    for (const [door, text] of doors) {
      const letters = lettersIn(text)
      const isRight = live.includes(door) ? secret.slice(0, most).startsWith(letters) : letters === ''
      expect([door, isRight, letters]).toEqual([door, true, letters])
      expect([door, /o not|\[hidden\]/.test(text)]).toEqual([door, true])
    }
    expect(doors.size).toBe(4)
    expect(doors.get('ACP')?.includes('"text":"\\n\\n"')).toBe(plugin.name === 'refusing')
  },
)

/** A file of runs, each process of which dies at a write; its bytes and its rows are looked at between them. */
async function inOneFile(
  clock: FakeClock,
  use: (open: (mortal?: MortalProcess) => Store, pair: () => string) => Promise<void>,
) {
  const file = join(await temporaryFolder(), 'runs.db')
  const stores: Store[] = []
  const open = (mortal?: MortalProcess) => {
    const store = sqliteStore(file, { synchronous: 'normal', clock })
    stores.push(store)
    return mortal === undefined ? store : mortalStore(store, mortal)
  }
  await use(open, () => pairIn(file))
  for (const store of stores) await store.close()
  expect(pairIn(file)).toBe('')
}

test.for([
  ['refused', refusing],
  ['hidden', hiding],
] as const)(
  'PH-05 CKP-03 no file of a store contains a letter of a word that is %s, after a crash at any write, a compaction and a fork',
  { timeout: 60_000 },
  async ([, plugin]) => {
    const { model, splitAt } = teller()
    splitAt(11)
    const compaction = { budget: 1500, systemTokens: 0, keepFirst: 1, keepLast: 1 }
    const prompts = ['Tell', 'And again?', 'And once more?'].map((text) => `${text} ${'Please. '.repeat(300)}`)
    const undisturbed = new MortalProcess()
    const play = async (store: Store, clock: FakeClock, process: string) => {
      const { agent } = testAgent({ model, store, clock, process, compaction, plugins: [plugin] })
      const compacted: unknown[] = []
      agent.on((event) => void (event.type === 'context.compacted' && compacted.push(event)))
      for (const [index, prompt] of prompts.entries()) {
        const runId = `run-${index}`
        const isThere = await store.record(runId).then(
          () => true,
          () => false,
        )
        if (isThere) await (await agent.load(runId)).settled()
        else if (index === 0) await agent.start(prompt, { runId }).settled()
        else await (await (await agent.load(`run-${index - 1}`)).prompt(prompt, { runId })).settled()
      }
      const history = await (await agent.load('run-0')).history()
      const fork = await agent.fork('run-0', { from: history[0]?.version ?? 0, runId: `fork-${process}` })
      await fork.settled()
      return compacted.length
    }
    const clock = fakeClock()
    expect(await play(mortalStore(memoryStore({ clock }), undisturbed), clock, 'p1')).toBeGreaterThan(0)
    for (let write = 2; write <= undisturbed.writes; write++) {
      for (const side of ['before', 'after'] as const) {
        const trial = fakeClock()
        await inOneFile(trial, async (open, pair) => {
          await play(open(new MortalProcess({ write, side })), trial, 'p1').catch(() => undefined)
          expect(pair()).toBe('')
          trial.advance(60_000)
          const store = open()
          await play(store, trial, 'p2')
          for (const { id } of await store.list({})) expect(lettersIn(JSON.stringify(await store.read(id)))).toBe('')
        })
      }
    }
  },
)
