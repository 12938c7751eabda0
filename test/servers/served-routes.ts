import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Agent, createAgent, type Store, tool } from '../../src/index.ts'
import { relayRoutes, inspectorRelay } from '../../src/adapters/inspect/inspector-relay.ts'
import { createA2aHandlers } from '../../src/servers/a2a.ts'
import { createAgUiHandlers } from '../../src/servers/ag-ui.ts'
import { agUiRoutes } from '../../src/servers/ag-ui/answer-input.ts'
import { createChatHandlers } from '../../src/servers/ai-sdk.ts'
import { chatRoutes } from '../../src/servers/ai-sdk/answer-chat.ts'
import { httpBroker } from '../../src/adapters/brokers/http-broker.ts'
import { serveMcp } from '../../src/servers/mcp-server.ts'
import { nodeListener } from '../../src/servers/http/server-node.ts'
import { createHandlers, type Handlers } from '../../src/servers/http/server.ts'
import { routes as kitRoutes } from '../../src/servers/http/routes.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { ownRoutes } from '../../src/servers/studio/own-routes.ts'
import { studioFor } from './studio/open.ts'

/** A request without credentials to one route. */
export interface Row {
  readonly path: string
  readonly body?: object
  /** True for what anyone may load: a page without data. */
  readonly isOpen?: true
}

/** A server, each of its routes, and a row of the walk for each. */
export interface ServedRoutes {
  readonly name: string
  readonly routes: readonly string[]
  readonly rows: Readonly<Record<string, Row>>
  /** Listens at a port of loopback. `seen` is told the address of each peer, as far as the server is one of the test. */
  open(house: House, seen: (peer: string | undefined) => void): Promise<number>
}

/** The run that nobody without a credential may see or change. */
export interface House {
  readonly store: Store
  readonly agent: Agent
}

/** The id of the run, and a word of its prompt. */
export const secretRun = 'run-of-bob'
export const secretWord = 'salary'

/** Begins the run; it waits for an approval. */
export async function openHouse(): Promise<House> {
  const store = memoryStore()
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needs: 'approval',
    execute: () => 'Paid.',
  })
  const model = scripted([{ toolCalls: [{ id: 'c', name: 'pay', arguments: {} }] }, 'Done.'])
  const agent = createAgent({ name: 'clerk', model, tools: [pay], store })
  onTestFinished(() => agent.close())
  await agent.run(`The ${secretWord} of Bob`, { runId: secretRun })
  return { store, agent }
}

async function listening(handlers: Pick<Handlers, 'fetch'>, seen: (peer: string | undefined) => void): Promise<number> {
  const listener = nodeListener(handlers)
  const server = createServer((request, response) => {
    seen(request.socket.remoteAddress)
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port
}

const run = `/runs/${secretRun}`
const yes = { decisions: [{ target: '1.c', action: 'resume' }] }
const said = { prompt: 'Go.' }

/** Rows of the routes of one run, which the studio has too. */
const ofRun: Readonly<Record<string, Row>> = {
  'GET /runs/:run': { path: run },
  'GET /runs/:run/events': { path: `${run}/events` },
  'GET /runs/:run/history': { path: `${run}/history` },
  'POST /runs/:run/decisions': { path: `${run}/decisions`, body: yes },
  'POST /runs/:run/cancel': { path: `${run}/cancel`, body: {} },
  'POST /runs/:run/calls/:call/cancel': { path: `${run}/calls/1.c/cancel`, body: {} },
  'POST /runs/:run/steer': { path: `${run}/steer`, body: said },
  'POST /runs/:run/follow-up': { path: `${run}/follow-up`, body: said },
  'POST /runs/:run/prompt': { path: `${run}/prompt`, body: said },
  'POST /runs/:run/resume': { path: `${run}/resume`, body: {} },
  'POST /runs/:run/fork': { path: `${run}/fork`, body: { from: 1 } },
}

const namesOf = (routes: readonly { readonly method: string; readonly path: string }[]) =>
  routes.map(({ method, path }) => `${method} ${path}`)

const chatBody = {
  id: 'talk',
  messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  trigger: 'submit-message',
}
const agUiBody = { threadId: 'talk', runId: 'r', messages: [{ id: 'm', role: 'user', content: 'Hi' }] }
const a2aBody = {
  jsonrpc: '2.0',
  id: 1,
  method: 'SendMessage',
  params: { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Hi' }] } },
}
const event = {
  specversion: '1.0',
  id: 'e',
  source: '/x',
  type: 'pay',
  parentid: '1.c',
  to: `/agents/clerk/runs/${secretRun}`,
}
const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'clerk', arguments: { prompt: 'Hi' } } }
const message = { type: '@xstate.actor', name: 'x', sessionId: 'x', rootId: 'x', snapshot: { status: 'active' } }

/** Every server of the package. */
export const servers: readonly ServedRoutes[] = [
  {
    name: 'the server kit',
    routes: namesOf(kitRoutes),
    rows: {
      'POST /runs': { path: '/runs', body: said },
      'GET /runs': { path: '/runs' },
      'GET /suspended': { path: '/suspended' },
      'GET /suspended/events': { path: '/suspended/events' },
      ...ofRun,
    },
    open: ({ agent }, seen) => listening(createHandlers(agent), seen),
  },
  {
    name: 'the AI SDK',
    routes: namesOf(chatRoutes),
    rows: {
      'POST ': { path: '/', body: chatBody },
      'GET /:session/stream': { path: '/talk/stream' },
      'GET /:session/messages': { path: '/talk/messages' },
      'POST /:session/stop': { path: '/talk/stop', body: {} },
    },
    open: ({ agent }, seen) => listening(createChatHandlers(agent), seen),
  },
  {
    name: 'AG-UI',
    routes: namesOf(agUiRoutes),
    rows: { 'POST ': { path: '/', body: agUiBody }, 'POST /:session/stop': { path: '/talk/stop', body: {} } },
    open: ({ agent }, seen) => listening(createAgUiHandlers(agent), seen),
  },
  {
    name: 'A2A',
    routes: ['GET /.well-known/agent-card.json', 'POST /'],
    rows: {
      'GET /.well-known/agent-card.json': { path: '/.well-known/agent-card.json' },
      'POST /': { path: '/?A2A-Version=1.0', body: a2aBody },
    },
    open: async ({ agent }, seen) => listening(await createA2aHandlers(agent), seen),
  },
  {
    name: 'the studio',
    routes: [
      ...['/', '/studio.js', '/studio.css'].map((path) => `GET ${path}`),
      ...ownRoutes,
      ...namesOf(kitRoutes.filter(({ path }) => path.startsWith('/runs/:run'))),
    ],
    rows: {
      'GET /': { path: '/', isOpen: true },
      'GET /studio.js': { path: '/studio.js', isOpen: true },
      'GET /studio.css': { path: '/studio.css', isOpen: true },
      'GET /api/studio': { path: '/api/studio' },
      'GET /api/charts': { path: '/api/charts' },
      'GET /api/charts/:chart': { path: '/api/charts/run' },
      'GET /api/coverage/:chart': { path: '/api/coverage/run' },
      'GET /api/runs': { path: '/api/runs' },
      'POST /api/runs': { path: '/api/runs?agent=clerk', body: said },
      'GET /api/suspended': { path: '/api/suspended' },
      'GET /api/store': { path: '/api/store' },
      'POST /api/grants/:grant/revoke': { path: '/api/grants/g/revoke', body: {} },
      'POST /api/postponed/:run/retry': { path: `/api/postponed/${secretRun}/retry`, body: {} },
      'GET /api/runs/:run/summary': { path: `/api${run}/summary` },
      'GET /api/runs/:run/family': { path: `/api${run}/family` },
      'GET /api/runs/:run/answers': { path: `/api${run}/answers?call=1.c&value=1` },
      'GET /api/runs/:run/way': { path: `/api${run}/way?versions=1` },
      'GET /api/runs/:run/at/:version': { path: `/api${run}/at/1` },
      'GET /api/runs/:run/tools/:tool': { path: `/api${run}/tools/pay` },
      ...Object.fromEntries(Object.entries(ofRun).map(([name, row]) => [name, { ...row, path: `/api${row.path}` }])),
    },
    open: async ({ store, agent }) => Number(new URL((await studioFor({ store, agents: [agent] })).url).port),
  },
  {
    name: 'the inspector relay',
    routes: relayRoutes,
    rows: {
      'GET /': { path: '/', isOpen: true },
      'POST /': { path: '/', body: message },
      'GET /messages': { path: '/messages' },
      'GET /chart': { path: '/chart?name=x' },
    },
    async open() {
      const relay = await inspectorRelay()
      onTestFinished(() => relay.close())
      const token = new URL(relay.url).hash.replace('#token=', '')
      const body = JSON.stringify({ ...message, sessionId: secretRun, rootId: secretRun })
      await fetch(new URL('/', relay.url), { method: 'POST', body, headers: { authorization: `Bearer ${token}` } })
      return Number(new URL(relay.url).port)
    },
  },
  {
    name: 'the HTTP broker',
    routes: ['POST /'],
    rows: { 'POST /': { path: '/', body: event } },
    open: ({ agent }, seen) => {
      const broker = httpBroker({ secrets: [`whsec_${btoa('0123456789abcdef0123456789abcdef')}`] })
      broker.subscribe({ types: ['pay'] }, (one) => agent.receive(one))
      return listening({ fetch: broker.handle }, seen)
    },
  },
  {
    name: 'MCP over HTTP',
    routes: ['POST /mcp'],
    rows: { 'POST /mcp': { path: '/mcp', body: rpc } },
    async open({ agent }) {
      const service = await serveMcp(agent, { transport: 'http' })
      onTestFinished(() => service.close())
      return Number(new URL(service.url).port)
    },
  },
]
