import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import * as acp from '@agentclientprotocol/sdk'
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { expect, test } from 'vitest'
import { type FakeClock, fakeClock } from '../../../proof/support/fake-clock.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'
import { createAgent, type Model, type Plugin, textOf } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { serveAcp } from '../../../src/servers/acp.ts'
import { allOf, connect, saying, serve } from '../../servers/a2a/client.ts'
import { connected, served } from '../../servers/served-cleaner.ts'
import { askStudio, studioFor } from '../../servers/studio/open.ts'
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

/** 24 letters that nothing else in a run has. */
const secret = String.fromCodePoint(...Array.from({ length: 24 }, (_, index) => 0x16a0 + index))
const places = Array.from({ length: 23 }, (_, index) => index + 1)

function lettersIn(text: string): string {
  return [...new Set(text.match(/[\u16A0-\u16B7]/g) ?? [])].join('')
}

/** Two letters of the secret side by side in a file, whose packed pages may hold the bytes of one by chance. */
function pairIn(file: string): string {
  const bytes = Buffer.concat([file, `${file}-wal`].filter((one) => existsSync(one)).map((one) => readFileSync(one)))
  return places.map((at) => secret.slice(at - 1, at + 1)).find((pair) => bytes.includes(pair)) ?? ''
}

/** A model that says the secret in two pieces; asked again after a refusal, it does not. */
function teller() {
  let place = 1
  const model: Model = {
    provider: 'teller',
    id: 'teller',
    async *stream({ messages }) {
      const isTold = JSON.stringify(messages.at(-1)).includes('The answer was refused')
      const text = isTold ? 'I do not say it.' : `The word is ${secret}, as I know it.`
      const cut = isTold ? 3 : 'The word is '.length + place
      yield { type: 'text', delta: text.slice(0, cut) }
      yield { type: 'text', delta: text.slice(cut) }
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }
      const head = { provider: 'teller', model: 'teller', stopReason: 'stop' as const, timestamp: 0, usage }
      yield { type: 'finished', message: { role: 'assistant', content: [{ type: 'text', text }], ...head } }
    },
  }
  return { model, splitAt: (at: number) => void (place = at) }
}

const refusing: Plugin = {
  name: 'refusing',
  onAnswer: (answer) => (textOf(answer).includes(secret) ? { refuse: 'It says the word.' } : undefined),
}
const hiding: Plugin = {
  name: 'hiding',
  onAnswer: (answer) => {
    const text = textOf(answer)
    return text.includes(secret)
      ? { content: [{ type: 'text', text: text.replaceAll(secret, '[hidden]') }] }
      : undefined
  },
}

const post = (body: object) =>
  new Request('http://x.example', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

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
      const message = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Tell' }] }
      const talk = { id: `talk-${place}`, messages: [message], trigger: 'submit-message' }
      heard('AI SDK', await (await chat.fetch(post(talk))).text())
      const shared = { tools: [], context: [], state: {}, forwardedProps: {} }
      const thread = { threadId: `thread-${place}`, runId: 'r', ...shared }
      const said = { messages: [{ id: 'u', role: 'user', content: 'Tell' }] }
      heard('AG-UI', await (await agUi.fetch(post({ ...thread, ...said }))).text())
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
  'PH-05 SRV-02 SRV-03 AGT-05 no letter beyond the window leaves by A2A, ACP, MCP, the studio, a sub-agent or a hand-over, %s',
  { timeout: 60_000 },
  async ([, plugin, most]) => {
    const { model, splitAt } = teller()
    const store = memoryStore()
    const doors = new Map<string, string>()
    const heard = (door: string, value: unknown) =>
      void doors.set(door, (doors.get(door) ?? '') + (typeof value === 'string' ? value : JSON.stringify(value)))
    const agent = createAgent({ name: 'teller', model, store, plugins: [plugin] })
    const member = createAgent({ name: 'member', model, plugins: [plugin] })
    const asks = scripted(({ messages }) => {
      const last = messages.at(-1)
      if (last?.role !== 'user') return 'So it is.'
      const name = textOf(last)
      return { toolCalls: [{ id: 'c', name, arguments: name === 'ask' ? { prompt: 'Tell' } : {} }] }
    })
    const tools = [
      member.asTool({ name: 'ask', description: 'Asks.' }),
      member.asHandover({ name: 'hand', when: 'Always.' }),
    ]
    const boss = createAgent({ name: 'boss', model: asks, store, tools })
    boss.on((event) => heard('family events', event))
    const pages = createHandlers(boss, { authorize: () => true })
    const task = await serve(agent)
    const remote = await connect(task.url)
    const mcp = await served(agent)
    const client = await connected(mcp.url, mcp.token)
    const { url: studio } = await studioFor({ store, agents: [agent, boss] })
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
      for (const way of ['ask', 'hand']) {
        const runId = `${way}-${place}`
        const run = boss.start(way, { runId })
        const following = run.settled()
        const stream = await pages.fetch(new Request(`http://x.example/runs/${runId}/events?deltas=1`))
        heard('family HTTP', await stream.text())
        const last = await following
        heard('family result', [last, await (await boss.load(last.runId)).messages()])
        for (const end of ['summary', 'events?after=0', 'family'])
          heard('studio', await (await askStudio(`${studio}api/runs/${last.runId}/${end}`)).text())
      }
    }
    for (const { id } of await store.list({ limit: 1_000 })) heard('store', await store.read(id))
    await serving.close()
    await agent.close()
    await boss.close()

    const live = ['family events', 'family HTTP', 'A2A', 'ACP', 'MCP']
    for (const [door, text] of doors) {
      const letters = lettersIn(text)
      const isRight = live.includes(door) ? secret.slice(0, most).startsWith(letters) : letters === ''
      expect([door, isRight, letters]).toEqual([door, true, letters])
      expect([door, /o not|\[hidden\]/.test(text)]).toEqual([door, true])
    }
    expect(doors.size).toBe(8)
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
