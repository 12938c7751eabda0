import { expect, test } from 'vitest'
import type { ExecutorOption } from '../../src/ports.ts'
import type { Plugin } from '../../src/index.ts'
import { resultsOf, statusesOf } from '../../proof/support/read-run.ts'
import { recorded } from '../../proof/support/recorded-requests.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { heldReply, quiet, runId, testAgent } from '../../proof/support/test-agent.ts'

type Hook = NonNullable<Plugin['beforeModel']>

const asking = (name: string, beforeModel: Hook): Plugin => ({ name, beforeModel })
/** Asks in the first turn only. */
const first =
  (hook: Hook): Hook =>
  (context) =>
    context.turn === 1 ? hook(context) : undefined

const executors: readonly ExecutorOption[] = ['parallel', 'sequential', { batch: 2 }]

test.for(executors)(
  'TC-02 TC-05 fails a call of a tool that the step does not offer, together with others, executor %o',
  async (executor) => {
    const box = toolbox()
    const { model, asked } = recorded([
      calls(call('c1', 'erase'), call('c2', 'act'), call('c3', 'gone')),
      calls(call('c1', 'erase')),
      'Bye',
    ])
    const { agent, store } = testAgent({
      model,
      executor,
      tools: [box.act('act'), box.act('erase'), box.act('look')],
      plugins: [
        asking(
          'careful',
          first(({ chooseTools, tools }) => chooseTools(tools.filter((name) => name !== 'erase'))),
        ),
      ],
    })
    const { outcome } = await agent.run('Hi', { runId })

    expect(outcome.reason).toBe('natural_end')
    expect(asked).toMatchObject([
      { tools: ['act', 'look'] },
      { tools: ['act', 'erase', 'look'] },
      { tools: ['act', 'erase', 'look'] },
    ])
    expect(await resultsOf(store, runId)).toEqual({
      '1.c1': 'Tool "erase" is not offered in this step. Available tools: act, look.',
      '1.c2': 'act done',
      '1.c3': 'Tool "gone" does not exist. Available tools: act, look.',
      '2.c1': 'erase done',
    })
    expect(await statusesOf(store, runId)).toMatchObject({ '1.c1': 'failed', '1.c2': 'succeeded', '1.c3': 'failed' })
    expect(box.done).toEqual(['act {}', 'erase {}'])
  },
)

test('TC-02 requests no approval of a call that is not offered, and refuses it before it checks the arguments', async () => {
  const { act } = toolbox()
  const input = { type: 'object', required: ['n'], properties: { n: { type: 'number' } } }
  const { agent, store } = testAgent({
    replies: [calls(call('c1', 'pay')), 'Bye'],
    tools: [act('pay', { needs: 'approval', input }), act('high', { priority: 5 })],
    plugins: [
      asking(
        'careful',
        first(({ chooseTools }) => chooseTools([])),
      ),
    ],
  })
  const { status } = await agent.run('Hi', { runId })

  expect(status).toBe('done')
  expect(await resultsOf(store, runId)).toEqual({
    '1.c1': 'Tool "pay" is not offered in this step. Available tools: none.',
  })
})

test('AGT-15 TC-02 ignores the priority of a call that is not offered', async () => {
  const box = toolbox()
  const { agent } = testAgent({
    replies: [calls(call('c1', 'high'), call('c2', 'act')), 'Bye'],
    tools: [box.act('high', { priority: 5 }), box.act()],
    plugins: [
      asking(
        'careful',
        first(({ chooseTools }) => chooseTools(['act'])),
      ),
    ],
  })
  await agent.run('Hi', { runId })
  expect(box.done).toEqual(['act {}'])
})

test('TC-02 DEC-01 replays a suspended call during a step that does not offer its tool', async () => {
  const box = toolbox()
  const held = heldReply()
  const { model, asked } = recorded([calls(call('c1', 'pay'), call('c2', 'act')), held.reply, 'Bye'])
  const { agent, store } = testAgent({
    model,
    tools: [box.act('pay', { needs: 'approval' }), box.act()],
    plugins: [asking('careful', ({ chooseTools, turn }) => chooseTools(turn === 1 ? ['pay', 'act'] : ['act']))],
  })
  const run = agent.start('Hi', { runId })
  const driving = run.settled()
  await held.asked
  await run.approve('1.c1')
  await quiet()
  expect(box.done).toEqual(['act {}', 'pay {}'])
  held.give('So far')
  expect((await driving).status).toBe('done')
  expect(asked).toMatchObject([{ tools: ['pay', 'act'] }, { tools: ['act'] }, { tools: ['act'] }])
  expect(await resultsOf(store, runId)).toEqual({ '1.c1': 'pay done', '1.c2': 'act done' })
})
