import { describe, expect, test } from 'vitest'
import { createActor, waitFor } from 'xstate'
import type { Json } from '../../src/core/domain/text/json.ts'
import { createAgent } from '../../src/index.ts'
import type { Store } from '../../src/core/ports/store.ts'
import type { Tool, ToolContext } from '../../src/core/ports/tool.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { call, calls } from '../../proof/support/say.ts'
import { runId, stop, testAgent, type TestAgentOptions } from '../../proof/support/test-agent.ts'
import { toolNamed } from '../../proof/support/tools.ts'

const replies = [calls(call('c1', 'pay', { n: 1 })), 'Bye']

/** A tool that charges and then mails, each a step; `mail` waits for the test where it is held. */
function payTool(effects: Tool['effects'], isHeld: () => boolean = () => false) {
  const done: string[] = []
  const mailing = Promise.withResolvers<ToolContext>()
  const execute = async (input: Json, context: ToolContext) => {
    const charged = await context.step('charge', async () => {
      done.push(`charge ${JSON.stringify(input)}`)
      return { receipt: done.length }
    })
    const mailed = await context.step('mail', async () => {
      done.push('mail')
      mailing.resolve(context)
      if (isHeld()) await new Promise((_, reject) => context.signal.addEventListener('abort', reject))
      return 'sent'
    })
    return `${JSON.stringify(charged)} ${mailed}`
  }
  return { done, mailing: mailing.promise, tool: toolNamed('pay', execute, { ...(effects && { effects }) }) }
}

/** Runs until the mail is under way, and leaves the run as a process does that dies then. */
async function stoppedInMail(effects: Tool['effects'], options: Partial<TestAgentOptions> = {}) {
  let isHeld = true
  const pay = payTool(effects, () => isHeld)
  const all = { replies, tools: [pay.tool], ...options }
  const first = testAgent(all)
  const run = first.agent.start('Hi', { runId })
  const end = run.settled()
  await pay.mailing
  await stop(run, end)
  isHeld = false
  const { store } = first
  return { pay, store, second: testAgent({ ...all, store, process: 'p2' }) }
}

async function stepsIn(store: Store, callId = '1.c1') {
  const row = (await store.calls(runId)).find(({ record }) => record.callId === callId)
  return row?.record.steps
}

describe('TC-08 steps', () => {
  test.for(['none', 'idempotent'] as const)(
    'TC-08 TC-09 a finished step is not repeated when its call runs again after a crash: %s',
    async (effects) => {
      const { pay, store, second } = await stoppedInMail(effects)
      const run = await second.agent.load(runId)
      await run.settled()

      expect(pay.done).toEqual(['charge {"n":1}', 'mail', 'mail'])
      expect(await resultsOf(store, runId)).toEqual({ '1.c1': '{"receipt":1} sent' })
    },
  )

  test('TC-08 a once call that died between steps lists the finished ones, and does the rest when it is approved', async () => {
    const { pay, store, second } = await stoppedInMail('once')
    const run = await second.agent.load(runId)
    const { suspended } = await run.settled()

    expect(suspended.map(({ suspension }) => suspension)).toEqual([
      { id: 'sus_p2_1', reason: 'interrupted', steps: ['charge'] },
    ])
    await run.approve()
    await run.settled()
    expect(pay.done).toEqual(['charge {"n":1}', 'mail', 'mail'])
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': '{"receipt":1} sent' })
  })

  test('TC-08 a once call that died in its first step reports that nothing was done', async () => {
    const begun = Promise.withResolvers<void>()
    const tools = [
      toolNamed('pay', (_, { step }) =>
        step('charge', () => {
          begun.resolve()
          return new Promise<string>(() => {})
        }),
      ),
    ]
    const first = testAgent({ replies, tools })
    const run = first.agent.start('Hi', { runId })
    const end = run.settled()
    await begun.promise
    await stop(run, end)
    const second = testAgent({ replies, tools, store: first.store, process: 'p2' })
    const { suspended } = await (await second.agent.load(runId)).settled()

    expect(suspended.map(({ suspension }) => suspension)).toEqual([{ id: 'sus_p2_1', reason: 'interrupted' }])
  })

  test('TC-08 CKP-02 a step is stored before it returns, and deleted when its call has settled', async () => {
    const store = memoryStore()
    const seen: unknown[] = []
    const tools = [
      toolNamed('pay', async (_, { step }) => {
        const given = { receipt: 7, at: undefined }
        const first = await step('charge', () => given)
        seen.push(await stepsIn(store), first, first === given)
        seen.push(await step('nothing', () => undefined), await stepsIn(store))
        return 'paid'
      }),
    ]
    await testAgent({ replies, tools, store }).agent.run('Hi', { runId })
    const charge = { name: 'charge', result: { receipt: 7 } }

    expect(seen).toEqual([
      { revision: 0, done: [charge] },
      { receipt: 7 },
      false,
      undefined,
      { revision: 0, done: [charge, { name: 'nothing' }] },
    ])
    expect(await stepsIn(store)).toBeUndefined()
    expect(await statusesOf(store, runId)).toEqual({ '1.c1': 'succeeded' })
  })

  test('TC-08 records each of several parallel steps', async () => {
    const store = memoryStore()
    let steps: unknown
    const tools = [
      toolNamed('pay', async (_, { step }) => {
        const all = ['a', 'b', 'c'].map((name) => step(name, () => `${name} done`))
        const results = await Promise.all(all)
        steps = await stepsIn(store)
        return results.join()
      }),
    ]
    await testAgent({ replies, tools, store }).agent.run('Hi', { runId })

    const done = ['a', 'b', 'c'].map((name) => ({ name, result: `${name} done` }))
    expect(steps).toEqual({ revision: 0, done })
    expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'a done,b done,c done' })
  })

  test('TC-09 DEC-05 keeps steps while the tool asks, and restarts them for arguments that a person edited', async () => {
    const done: string[] = []
    const tools = [
      toolNamed('pay', async (input, { step, suspend, attempt, decision }) => {
        const charged = await step('charge', () => {
          done.push(`charge ${JSON.stringify(input)}`)
          return done.length
        })
        return decision === undefined || attempt === 2 ? suspend() : `charged ${charged}`
      }),
    ]
    const { agent, store } = testAgent({ replies, tools })
    const { suspended } = await agent.run('Hi', { runId })
    const run = await agent.load(runId)
    await run.approve()
    await run.settled()
    expect(suspended[0]?.suspension?.steps).toBeUndefined()
    expect(done).toEqual(['charge {"n":1}'])
    await run.edit(undefined, { n: 2 })
    await run.settled()

    expect(done).toEqual(['charge {"n":1}', 'charge {"n":2}'])
    expect((await resultsOf(store, runId))['1.c1']).toContain('charged 2')
  })

  test("CKP-08 a fork restarts its calls' steps and reports none as done", async () => {
    const { pay, store, second } = await stoppedInMail('once')
    const run = await second.agent.load(runId)
    await run.settled()
    const from = (await store.record(runId)).version
    const fork = await second.agent.fork(runId, { from, runId: 'run-2' })
    const { suspended } = await fork.settled()

    expect(suspended.map(({ suspension }) => suspension)).toEqual([
      { id: expect.stringContaining('sus_p2'), reason: 'interrupted' },
    ])
    await fork.approve()
    await fork.settled()
    expect(pay.done).toEqual(['charge {"n":1}', 'mail', 'charge {"n":1}', 'mail'])
    expect(await stepsIn(store)).toMatchObject({ done: [{ name: 'charge' }] })
  })

  test('RUN-09 plain XState keeps steps in its log', async () => {
    const logs: string[] = []
    const tools = [
      toolNamed('pay', async (_, { step }) => {
        const charged = await step('charge', () => 1)
        return `charged ${charged}`
      }),
    ]
    const options = { name: 'plain', model: scripted(replies), tools }
    const machine = createAgent(options).provide({ onLog: (log) => void logs.push(JSON.stringify(log)) })
    const actor = createActor(machine, { input: 'Hi' })
    actor.start()
    await waitFor(actor, (snapshot) => snapshot.status === 'done')

    expect(logs.some((log) => log.includes('"steps":{"revision":0,"done":[{"name":"charge","result":1}]}'))).toBe(true)
    expect(logs.at(-1)).toContain('charged 1')
  })
})
