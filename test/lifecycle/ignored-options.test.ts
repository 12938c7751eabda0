import { expect, test } from 'vitest'
import { type Model, ModelError } from '../../src/index.ts'
import type { RequestOption } from '../../src/ports.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { start } from '../../proof/support/fake-clock.ts'
import { call, calls } from '../../proof/support/say.ts'
import { toolbox } from '../../proof/support/tools.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'

/** A model whose wire has no place for some options. */
function narrow(inner: Model, leftOut: readonly RequestOption[]): Model {
  return {
    ...inner,
    async *stream(request) {
      for await (const event of inner.stream(request)) yield event.type === 'finished' ? { ...event, leftOut } : event
    },
  }
}

const twoTurns = () => scripted([calls(call('c1', 'act')), 'Bye'])

test('PRV-03 EVT-01 reports once for each run and model which options its wire cannot carry', async () => {
  const model = narrow(twoTurns(), ['thinking', 'cache'])
  const { agent } = testAgent({ model, tools: [toolbox().act()], request: { thinking: 'low', cache: { tools: true } } })
  const ignored = async (id: string) =>
    (await eventsOf(agent.start('Hi', { runId: id }))).filter(({ type }) => type === 'options.ignored')
  const event = {
    type: 'options.ignored',
    seq: 5,
    at: start,
    turn: 1,
    provider: 'scripted',
    model: 'scripted',
    options: ['thinking', 'cache'],
  }

  expect(await ignored('run-1')).toEqual([{ ...event, runId: 'run-1', subject: 'run-1' }])
  expect(await ignored('run-2')).toEqual([{ ...event, runId: 'run-2', subject: 'run-2' }])
})

test('PRV-03 EVT-01 reports an option again only if it is new, or another model is asked', async () => {
  const leftOuts: (readonly RequestOption[])[] = [['thinking'], ['thinking', 'temperature']]
  const [first, second] = [scripted([calls(call('c1', 'act')), calls(call('c2', 'act'))]), scripted(['Hi.'])]
  const growing: Model = {
    ...first,
    async *stream(request) {
      const leftOut = leftOuts.shift()
      if (leftOut === undefined) throw new ModelError('network', 'down')
      yield* narrow(first, leftOut).stream(request)
    },
  }
  const other: Model = {
    ...second,
    id: 'other',
    stream: narrow(
      scripted(() => 'Hi.'),
      ['thinking'],
    ).stream,
  }
  const { agent } = testAgent({
    model: growing,
    fallbackModels: [other],
    retry: { maxRetries: 0 },
    tools: [toolbox().act()],
    request: { thinking: 'low', temperature: 0 },
  })
  const told = (await eventsOf(agent.start('Hi', { runId }))).flatMap((event) =>
    event.type === 'options.ignored' ? [[event.turn, event.model, event.options]] : [],
  )

  expect(told).toEqual([
    [1, 'scripted', ['thinking']],
    [2, 'scripted', ['temperature']],
    [3, 'other', ['thinking']],
  ])
})
