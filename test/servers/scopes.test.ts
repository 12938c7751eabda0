import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { type Agent, createAgent, type Store, tool } from '../../src/index.ts'
import type { DecisionScope } from '../../src/ports.ts'
import { createAgUiHandlers } from '../../src/servers/ag-ui.ts'
import { createChatHandlers } from '../../src/servers/ai-sdk.ts'
import { createHandlers, type Handlers } from '../../src/servers/http/server.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { actionsOf } from '../../src/apps/react/answers.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { askStudio, studioFor } from './studio/open.ts'

/** A run that waits for an approval, and asks for another call of the tool once it goes on. */
async function waiting() {
  const store = memoryStore()
  const paid: number[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.object({ amount: z.number() }),
    needs: 'approval',
    execute: ({ amount }) => `Paid ${paid[paid.push(amount) - 1]}.`,
  })
  const pays = (amount: number) => ({ toolCalls: [{ id: `c${amount}`, name: 'pay', arguments: { amount } }] })
  const model = scripted([pays(1), pays(2), 'Done.'])
  const agent = createAgent({ name: 'clerk', model, tools: [pay], store })
  onTestFinished(() => agent.close())
  const run = await agent.session('talk').prompt('Pay.', { userId: 'anna' })
  const { suspended } = await run.settled()
  return { store, agent, paid, runId: run.id, callId: '1.c1', target: suspended[0]?.suspension?.id ?? '' }
}

interface Asked {
  readonly agent: Agent
  readonly store: Store
  readonly runId: string
  readonly callId: string
  readonly target: string
}

const headers = { 'content-type': 'application/json' }
const authorize = () => ({ by: 'anna' })

const post = ({ fetch }: Handlers, path: string, body: object) =>
  fetch(new Request(`http://localhost${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).then(
    async (response) => [response.status, await response.text()] as const,
  )

/** Sends a yes with a scope over a route. */
const routes: Readonly<Record<string, (asked: Asked, scope: unknown) => Promise<unknown>>> = {
  'the server kit': ({ agent, runId, target }, scope) =>
    post(createHandlers(agent, { authorize }), `/runs/${runId}/decisions`, {
      decisions: [{ target, action: 'resume', scope }],
    }),
  'a page of React': ({ agent, runId, target }, scope) => {
    const { fetch } = createHandlers(agent, { authorize })
    const server = {
      url: 'http://localhost',
      fetch: (...asked: Parameters<typeof globalThis.fetch>) => fetch(new Request(...asked)),
    }
    return actionsOf(server, runId, () => undefined).approve(target, { scope: scope as DecisionScope })
  },
  'the AI SDK': ({ agent, runId, callId, target }, scope) => {
    const approval = { id: target, approved: true }
    const parts = [{ type: 'dynamic-tool', state: 'approval-responded', toolCallId: callId, approval }]
    const messages = [{ id: runId, role: 'assistant', parts }]
    return post(createChatHandlers(agent, { authorize }), '', {
      id: 'talk',
      messages,
      trigger: 'submit-message',
      scope,
    })
  },
  'AG-UI': ({ agent, target: interruptId }, scope) => {
    const resume = [{ interruptId, status: 'resolved', payload: { approved: true, scope } }]
    return post(createAgUiHandlers(agent, { authorize }), '', { threadId: 'talk', runId: 'r', messages: [], resume })
  },
  'the studio': async ({ agent, store, runId, target }, scope) => {
    const { url } = await studioFor({ store, agents: [agent], by: 'anna' })
    const body = JSON.stringify({ decisions: [{ target, action: 'resume', scope }] })
    return (await askStudio(`${url}api/runs/${runId}/decisions`, { method: 'POST', headers, body })).text()
  },
}

const cases = Object.entries(routes).flatMap(([name, send]) =>
  (
    [
      ['once', [1], []],
      ['run', [1, 2], ['run']],
      ['always', [1, 2], ['always']],
    ] as const
  ).map(([scope, paid]) => ({ name, send, scope, paid })),
)

test.for(cases)('PERM-03 over $name a yes with the scope $scope has that scope', async ({ send, scope, paid }) => {
  const asked = await waiting()
  await send(asked, scope)
  const run = await asked.agent.load(asked.runId)
  await run.settled({ follow: true })
  expect(asked.paid).toEqual(paid)
  const rows = (await asked.store.inbox(asked.runId, { kinds: ['decision'] })).flatMap(({ item }) =>
    item.kind === 'decision' ? item.decision : [],
  )
  expect(rows.map((one) => [one.scope, one.by])).toEqual([[scope, 'anna']])
})

test.for(Object.entries(routes))('PERM-03 over %s a yes with an unknown scope decides nothing', async ([, send]) => {
  const asked = await waiting()
  await Promise.resolve(send(asked, 'forever')).catch(() => undefined)
  expect([asked.paid, await asked.store.inbox(asked.runId, { kinds: ['decision'] })]).toEqual([[], []])
  expect((await (await asked.agent.load(asked.runId)).result()).status).toBe('waiting')
})
