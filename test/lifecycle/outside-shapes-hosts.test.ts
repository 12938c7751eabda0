import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bent, odd } from '../../proof/support/odd-values.ts'
import { isWhole } from '../../proof/support/sampled.ts'
import {
  contract,
  type Agent,
  type AgentOptions,
  createAgent,
  StoreError,
  type Tool,
  tool,
  UsageError,
} from '../../src/index.ts'
import { answerTo } from '../../src/core/services/index.ts'
import type { Memory } from '../../src/core/ports/memory.ts'
import type { PermissionOptions } from '../../src/core/ports/permissions.ts'
import type { Store } from '../../src/core/ports/store.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { listAudit, listGrants } from '../../src/core/driving/list-grants.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { TranscriptError } from '../../src/core/transcripts/transcript-error.ts'
import { listOutgoing } from '../../src/core/driving/list-outgoing.ts'
import { listSessions } from '../../src/core/driving/find-sessions.ts'

const model = () => scripted([{ toolCalls: [{ name: 'act', arguments: { a: 1 } }] }, 'Done.'])
const act: Tool = tool({
  name: 'act',
  description: 'Acts.',
  input: z.object({ a: z.number() }),
  effects: 'none',
  execute: () => 'Done.',
})

type Parts = Partial<AgentOptions>

/**
 * Plays a host in two stores, and reads all that each store keeps with a store's own methods and with another agent: nothing
 * is damaged. A host may be refused by a typed error.
 */
async function readsBack(parts: Parts, host: (agent: Agent, store: Store) => Promise<unknown>): Promise<void> {
  for (const store of [memoryStore(), sqliteStore(':memory:')]) {
    const common = { name: 'guide', tools: [act], limits: { maxTurns: 3 }, retry: { maxRetries: 0 }, store } as const
    const agent = createAgent({ ...common, model: model(), ...parts })
    await host(agent, store).catch((error: unknown) => {
      if (!isTyped(error)) throw error
    })
    const reader = createAgent({ ...common, model: scripted([]) })
    for (const run of await store.list({})) {
      if ('damaged' in run) throw new Error(run.damaged)
      const loaded = await reader.load(run.id)
      const { status } = await loaded.result()
      expect(['waiting', 'done', 'running']).toContain(status)
      await loaded.messages()
      await store.entries(run.id, 0, 1_000)
      await store.calls(run.id)
      for (const { body } of await listOutgoing(store, { runId: run.id })) JSON.stringify(body)
    }
    const kept = [await store.list({}), await listSessions(store, {}), await store.suspended({})]
    expect(JSON.stringify([...kept, await listGrants(store), await listAudit(store)])).not.toContain('damaged')
    await store.close()
  }
}

function isTyped(error: unknown): boolean {
  return error instanceof UsageError || error instanceof StoreError || error instanceof TranscriptError
}

async function always<Value>(
  values: fc.Arbitrary<Value>,
  play: (value: Value) => readonly [Parts, (agent: Agent, store: Store) => Promise<unknown>],
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(values, (value) => readsBack(...play(value))),
    { numRuns: isWhole ? 500 : 20 },
  )
}

const well = { reason: 'natural_end' }
const endsWell = async (agent: Agent) => expect((await toTheEnd(agent)).outcome).toEqual(well)
const toTheEnd = (agent: Agent) => agent.run('Hi', { runId: 'r', userId: 'ada' })

describe('values from hosts', () => {
  test('CTX-04 CKP-09 stores any value that a memory returns in a readable shape', async () => {
    const found = bent({ kind: 'answer', data: { a: 1 }, key: 'k', at: 1 }, 'session')
    const given = fc.oneof(odd, fc.array(fc.oneof(odd, found), { maxLength: 2 }))
    const memory = (value: unknown): Memory => ({
      query: async () => value as [],
      add: async () => value as undefined,
      forget: async () => 0,
    })
    await expect(always(given, (value) => [{ memory: memory(value) }, endsWell])).resolves.toBeUndefined()
  })

  test('PERM-03 CKP-09 stores any answer and any request of a policy or a manager in a readable shape', async () => {
    const names = fc.oneof(odd, fc.constant(['act']))
    const said = fc.oneof(odd, fc.constantFrom({ act: 'requestable' }, { act: 'approved' }), bent({ act: 'denied' }))
    const request = fc.oneof(odd, bent({ please: ['act'] }))
    const values = fc.record({
      names,
      said,
      request,
      answer: fc.oneof(odd, bent({ action: 'resume', granted: ['act'] })),
    })
    const permissionsOf = (given: { names: unknown; said: unknown; request: unknown }) =>
      ({
        policy: () => given.names as string[],
        manager: { get: () => given.said as {}, requestBuilder: () => given.request as string },
      }) satisfies PermissionOptions
    const played = always(values, (value) => [
      { permissions: permissionsOf(value) },
      async (agent) => {
        const { suspended } = await toTheEnd(agent)
        const run = await agent.load('r')
        for (const { callId } of suspended)
          await run.decide([{ target: callId, ...(value.answer as { action: 'resume' }) }])
        await run.settled()
      },
    ])
    await expect(played).resolves.toBeUndefined()
  })

  test('SVC-01 CKP-09 stores any answer of a service in a readable shape', async () => {
    const service = contract({
      type: 'act.now',
      version: '1.0.0',
      accepts: { type: 'object' },
      emits: { 'act.done': { type: 'object' } },
    })
    const asking = scripted([{ toolCalls: [{ name: 'act_now', arguments: { a: 1 } }] }, 'Done.'])
    const given = fc.oneof(
      odd.map((data) => ({ data })),
      bent(
        { source: '/svc', type: 'act.done', data: { a: 1 } },
        'id',
        'subject',
        'executionunits',
        'specversion',
        'to',
      ),
    )
    const played = always(given, (value) => [
      { model: asking, services: [service], tools: [] },
      async (agent, store) => {
        await toTheEnd(agent)
        const [row] = await listOutgoing(store, { runId: 'r' })
        const asked = row?.body as never
        const right = answerTo(asked, { source: '/svc', type: 'act.done', data: { a: 1 } })
        await agent.receive({ ...right, ...(value as object) }).catch(typedOnly)
        await agent.receive(right)
        expect((await (await agent.load('r')).settled()).outcome).toEqual(well)
      },
    ])
    await expect(played).resolves.toBeUndefined()
  })

  test('DEC-01 PERM-04 CKP-09 stores any decision of a person, with grants, in a readable shape', async () => {
    const given = bent(
      { target: '1.act', action: 'resume', scope: 'always', by: 'ada' },
      ...['decisionId', 'mode', 'input', 'result', 'reason', 'granted', 'at'],
    )
    const played = always(given, (value) => [
      { permissions: { rules: { ask: ['act'] } } },
      async (agent) => {
        const { suspended } = await toTheEnd(agent)
        const run = await agent.load('r')
        const target = suspended[0]?.callId ?? ''
        await run.decide([{ ...(value as { action: 'resume' }), target }]).catch(typedOnly)
        await run.decide([{ target, action: 'resume', scope: 'always' }])
        await run.settled()
        await agent.run('Hi', { runId: 'r2', userId: 'ada' })
      },
    ])
    await expect(played).resolves.toBeUndefined()
  })

  test('SES-03 CKP-09 stores any value with which a session is begun, prompted and restored in a readable shape', async () => {
    const given = fc.record({ metadata: fc.oneof(odd, bent({ a: 1 })), said: odd, transcript: odd, subject: odd })
    const played = always(given, ({ metadata, said, transcript, subject }) => [
      { model: scripted(() => 'Done.') },
      async (agent) => {
        const options = { metadata, subject } as { metadata: {} }
        await begun(agent, options, said).catch(typedOnly)
        const session = agent.session('s')
        await session.followUp(said as string).catch(typedOnly)
        await session.restore(transcript).catch(typedOnly)
        await session.prompt(said as string).then((run) => run.settled(), typedOnly)
        expect((await (await session.prompt('Hi')).settled()).outcome).toEqual(well)
        await session.messages()
        await session.save()
        expect((await session.usage()).usage.output).toBeTypeOf('number')
      },
    ])
    await expect(played).resolves.toBeUndefined()
  })

  test('RUN-01 CKP-09 stores any value with which a run is started in a readable shape', async () => {
    const names = ['state', 'labels', 'accessControl', 'subject', 'delegator', 'quota', 'userId', 'metadata']
    const given = fc.tuple(fc.oneof(odd, bent({ role: 'user', content: 'Hi' })), bent({}, ...names))
    const played = always(given, ([said, options]) => [
      {},
      async (agent) => {
        await agent.run(said as string, { ...(options as object), runId: 'r' }).catch(typedOnly)
        await agent.run('Hi', { ...(options as object), runId: 'r2' }).catch(typedOnly)
      },
    ])
    await expect(played).resolves.toBeUndefined()
  })

  test('CTX-02 AGT-07 CKP-09 stores any value that a strategy, a builder, a filter or an output returns in a readable shape', async () => {
    const said = bent({ role: 'user', content: [{ type: 'text', text: 'Hi' }], timestamp: 1 })
    const messages = fc.oneof(odd, fc.array(fc.oneof(odd, said), { maxLength: 2 }))
    const given = fc.tuple(
      fc.constantFrom('strategy', 'buildPrompt', 'onAnswer', 'buildContext', 'filter', 'outputBuilder'),
      messages,
      bent({ system: 'Be brief.', messages: [] }),
      bent({ content: [{ type: 'text', text: 'Yes.' }] }),
      fc.oneof(odd, bent({ warn: 'Careful.' })),
    )
    const partsOf = (kind: string, value: readonly unknown[]): Parts => {
      const [many, context, answer, word] = value as never[]
      if (kind === 'strategy')
        return {
          compaction: { budget: 200, systemTokens: 1, keepFirst: 0, keepLast: 1, strategy: () => many as never },
        }
      if (kind === 'buildPrompt') return { plugins: [{ name: 'prompts', buildPrompt: () => many as never }] }
      if (kind === 'onAnswer') return { plugins: [{ name: 'answers', onAnswer: () => answer }] }
      if (kind === 'buildContext') return { plugins: [{ name: 'builder', buildContext: () => context as never }] }
      if (kind === 'filter') return { plugins: [{ name: 'odd', filterInput: () => word }] }
      return { limits: { outputRetries: 1 }, output: { schema: z.any(), build: () => word } }
    }
    const played = always(given, ([kind, ...values]) => [partsOf(kind, values), toTheEnd])
    await expect(played).resolves.toBeUndefined()
  })
})

async function begun(agent: Agent, options: { metadata: {} }, said: unknown): Promise<void> {
  await (await agent.session('s', options).prompt(said as string)).settled()
}

/** A refusal says by its class that it is one. */
function typedOnly(error: unknown): void {
  if (!isTyped(error)) throw error
}
