import { Webhook } from 'standardwebhooks'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { askKey } from '../../src/apps/cli/runs/ask-call.ts'
import { contract, type Agent, createAgent, type Store, tool } from '../../src/index.ts'
import { answerTo, type ServiceEvent } from '../../src/core/services/index.ts'
import { createAgUiHandlers } from '../../src/servers/ag-ui.ts'
import { createChatHandlers } from '../../src/servers/ai-sdk.ts'
import { httpBroker } from '../../src/adapters/brokers/http-broker.ts'
import { decisionsOf } from '../../src/servers/mcp/pending-questions.ts'
import { createHandlers, type Handlers } from '../../src/servers/http/server.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { connected, served } from './served-cleaner.ts'
import { present } from '../core/services/present.ts'
import { askStudio, studioFor } from './studio/open.ts'
import { listOutgoing } from '../../src/core/driving/list-outgoing.ts'

/** Sends a value where a yes or a no belongs. */
export type Answer = (approved: unknown) => Promise<'taken' | 'refused'>

/** A run that waits for a yes or a no. */
export interface Question {
  readonly agent: Agent
  readonly runId: string
  /** The amounts that were paid. */
  readonly paid: readonly number[]
  /** Each way to send a value. */
  readonly answers: readonly Answer[]
  approve(): Promise<unknown>
}

/** A way in which decisions come in. */
export interface DecisionRoute {
  readonly name: string
  /** Values that are clear words of this route, as JSON. */
  readonly clear: readonly string[]
  ask(): Promise<Question>
}

/** An agent that pays once it is let. */
function paying(store: Store = memoryStore()) {
  const paid: number[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number() }),
    needs: 'approval',
    execute: ({ amount }) => `Paid ${paid[paid.push(amount) - 1]}.`,
  })
  const agent = createAgent({ name: 'clerk', model: scripted([pays, 'Done.']), tools: [pay], store })
  onTestFinished(() => agent.close())
  return { store, agent, paid }
}

const pays = { toolCalls: [{ id: 'c', name: 'pay', arguments: { amount: 1 } }] }

async function waiting() {
  const made = paying()
  const run = await made.agent.session('talk').prompt('Pay.')
  const { suspended } = await run.settled()
  return { ...made, runId: run.id, target: suspended[0]?.suspension?.id ?? '', callId: suspended[0]?.callId ?? '' }
}

const headers = { 'content-type': 'application/json' }

async function post({ fetch }: Handlers, path: string, body: object) {
  return judged(
    await fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) })),
  )
}

async function judged(response: Response) {
  const text = await response.text()
  return response.ok && !/"answer":"(?:refused|unknown|stale|duplicate)"/.test(text) ? 'taken' : 'refused'
}

/** Bodies that carry a value as the action, and beside a clear one. */
const decisionBodies = (target: string) => [
  (action: unknown) => ({ decisions: [{ target, action }] }),
  (approved: unknown) => ({ decisions: [{ target, action: 'resume', approved, input: { amount: 777 } }] }),
]

async function kit(): Promise<Question> {
  const { target, ...made } = await waiting()
  const handlers = createHandlers(made.agent, { authorize: () => true })
  const send = (body: object) => post(handlers, `/runs/${made.runId}/decisions`, body)
  const answers = decisionBodies(target).map(
    (bodyOf): Answer =>
      (value) =>
        send(bodyOf(value)),
  )
  return { ...made, answers, approve: () => send({ decisions: [{ target, action: 'resume' }] }) }
}

async function studio(): Promise<Question> {
  const { target, store, ...made } = await waiting()
  const { url } = await studioFor({ store, agents: [made.agent] })
  const send = async (body: object) => {
    const init = { method: 'POST', headers, body: JSON.stringify(body) }
    return judged(await askStudio(`${url}api/runs/${made.runId}/decisions`, init))
  }
  const answers = decisionBodies(target).map(
    (bodyOf): Answer =>
      (value) =>
        send(bodyOf(value)),
  )
  return { ...made, answers, approve: () => send({ decisions: [{ target, action: 'resume' }] }) }
}

async function aiSdk(): Promise<Question> {
  const { target: id, callId: toolCallId, ...made } = await waiting()
  const handlers = createChatHandlers(made.agent, { authorize: () => true })
  const answer: Answer = (approved) => {
    const approval = { id, approved, arguments: { amount: 777 } }
    const parts = [{ type: 'dynamic-tool', state: 'approval-responded', toolCallId, approval }]
    const messages = [{ id: made.runId, role: 'assistant', parts }]
    return post(handlers, '', { id: 'talk', messages, trigger: 'submit-message' })
  }
  return { ...made, answers: [answer], approve: () => answer(true) }
}

async function agUi(): Promise<Question> {
  const { target: interruptId, ...made } = await waiting()
  const handlers = createAgUiHandlers(made.agent, { authorize: () => true })
  const send = (payload: unknown) => {
    const resume = [{ interruptId, status: 'resolved', payload }]
    return post(handlers, '', { threadId: 'talk', runId: 'r2', messages: [], resume })
  }
  const answers: readonly Answer[] = [
    (approved) => send({ approved, arguments: { amount: 777 } }),
    (approved) => send({ approved }),
    (payload) => send(Object(payload) === payload ? [payload] : payload),
  ]
  return { ...made, answers, approve: () => send(true) }
}

async function mcp(): Promise<Question> {
  const { agent, paid } = paying()
  const { url, token } = await served(agent)
  const client = await connected(url, token)
  const { structuredContent } = await client.callTool({ name: 'clerk', arguments: { prompt: 'Pay.' } })
  const { runId } = structuredContent as { readonly runId: string }
  const run = await agent.load(runId)
  const [call] = (await run.result()).suspended
  const asked = { c: call?.suspension?.id ?? '' }
  /** A form that came back, as the tool reads it. */
  const form = async (content: unknown) => {
    const decisions = decisionsOf(asked, { c: content })
    if (decisions.length > 0) await run.decide(decisions)
    return decisions.length === 0 ? 'refused' : 'taken'
  }
  const byTool = async (given: object) => {
    const { isError } = await client.callTool({ name: 'approve', arguments: { runId, ...given } })
    return isError === true ? 'refused' : 'taken'
  }
  const answers: readonly Answer[] = [
    (answer) => form({ action: 'accept', content: { answer } }),
    (action) => form({ action, content: { answer: 'approve' } }),
    (approved) => byTool({ approved }),
  ]
  return { agent, runId, paid, answers, approve: () => byTool({}) }
}

async function commandLine(): Promise<Question> {
  const { target, ...made } = await waiting()
  const call = { callId: '1.c', toolName: 'pay', arguments: {}, reason: 'approval', mayHaveRun: false }
  const answer: Answer = async (value) => {
    const keys = [typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]
    const dialog = { key: async () => keys.shift(), print() {} }
    if ((await askKey(call as never, dialog as never, 80)) !== 'yes') return 'refused'
    await (await made.agent.load(made.runId)).approve(target)
    await made.agent.resume(made.runId)
    return 'taken'
  }
  return { ...made, answers: [answer], approve: () => answer('y') }
}

const answered = 'evt.office.permission.answered'
const office = contract({
  type: 'com.office.permission',
  version: '1.0.0',
  accepts: { type: 'object' },
  emits: { [answered]: {} },
})
const secret = `whsec_${btoa('0123456789abcdef0123456789abcdef')}`

/** A manager of permissions elsewhere, asked by an event and answered over the broker. */
async function services(): Promise<Question> {
  const store = memoryStore()
  const paid: number[] = []
  const granted = new Set<string>()
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number() }),
    execute: ({ amount }) => `Paid ${paid[paid.push(amount) - 1]}.`,
  })
  const agent = createAgent({
    name: 'clerk',
    model: scripted([pays, pays, 'Done.']),
    tools: [pay],
    store,
    permissions: {
      policy: ({ tools }) => tools,
      manager: {
        get: () => ({ pay: granted.has('pay') ? 'approved' : 'requestable' }),
        set: (_, named) => named.granted.forEach((name) => granted.add(name)),
        requestBuilder: () => ({ please: 'pay' }),
        contract: office,
      },
    },
  })
  onTestFinished(() => agent.close())
  const { runId } = await agent.run('Pay.')
  const [sent] = (await listOutgoing(store, { runId })).map(({ body }) => body as unknown as ServiceEvent)
  const broker = httpBroker({ secrets: [secret] })
  broker.subscribe({ types: [answered] }, (event) => agent.receive(event))
  let number = 0
  const send = async (data: unknown) => {
    const body = JSON.stringify({
      ...answerTo(present(sent), { source: '/boss', type: answered }),
      id: `e${++number}`,
      data,
    })
    const signature = new Webhook(secret).sign(`msg_${number}`, new Date(), body)
    const signed = {
      ...headers,
      'webhook-id': `msg_${number}`,
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': signature,
    }
    return judged(await broker.handle(new Request('http://here', { method: 'POST', headers: signed, body })))
  }
  const approve = async () => {
    await send({ granted: ['pay'] })
    await agent.resume(runId)
  }
  return {
    agent,
    runId,
    paid,
    answers: [(names) => send({ granted: names }), (approved) => send({ approved })],
    approve,
  }
}

/** Every route that carries a decision. */
export const decisionRoutes: readonly DecisionRoute[] = [
  { name: 'the server kit', clear: [], ask: kit },
  { name: 'the AI SDK', clear: [], ask: aiSdk },
  { name: 'AG-UI', clear: [], ask: agUi },
  { name: 'MCP', clear: ['"approve"', '"deny"'], ask: mcp },
  // A list without a name grants nothing.
  { name: 'the HTTP broker', clear: ['[]'], ask: services },
  { name: 'the command line', clear: ['"y"', '"n"'], ask: commandLine },
  { name: 'the studio', clear: [], ask: studio },
]
