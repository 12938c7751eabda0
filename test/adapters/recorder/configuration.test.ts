import { afterEach, describe, expect, test, vi } from 'vitest'
import { createActor } from 'xstate'
import { type AgentEvent, createAgent, type Model } from '../../../src/index.ts'
import { anthropic } from '../../../src/adapters/providers/anthropic.ts'
import { azure } from '../../../src/adapters/providers/azure.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { vertex } from '../../../src/adapters/providers/vertex.ts'
import { parallelSiblings, recordEvents, recordSessions, runOf } from '../../../src/adapters/recorder/index.ts'
import { wires } from '../../../proof/wires/wires.ts'
import { testAgent } from '../../../proof/support/test-agent.ts'

afterEach(() => vi.unstubAllEnvs())

/** A scripted model that says of itself what another one would. */
const saying = (facts: object): Model => ({ ...scripted('Done.'), ...facts })

async function startOf(model: Model, options: object = {}) {
  const agent = createAgent({ name: 'guide', model, ...options })
  const events: AgentEvent[] = []
  for await (const event of agent.start('Go')) events.push(event)
  return events.find((event) => event.type === 'run.started')
}

describe('SES-01 configuration', () => {
  test('SES-01 run.started has the model, its wire and address, and its request settings', async () => {
    const facts = { provider: 'acme', id: 'one', wire: 'acme-chat', baseUrl: 'https://api.acme.test/v1' }
    const model = saying({ ...facts, contextWindow: 200_000, maxTokens: 8192, thinking: 'low' })
    const told = { ...facts, model: 'one', contextWindow: 200_000, maxOutputTokens: 8192, thinking: 'low' }
    const { id: _, ...configuration } = told
    expect((await startOf(model))?.configuration).toEqual(configuration)
    const request = { thinking: 'high', temperature: 0.3, maxTokens: 100 } as const
    expect((await startOf(model, { request, configName: 'Careful' }))?.configuration).toEqual({
      ...configuration,
      configName: 'Careful',
      thinking: 'high',
      temperature: 0.3,
      maxOutputTokens: 100,
    })
  })

  test.each([
    ['https://me:secret@api.acme.test:8443/v1?key=secret#secret', 'https://api.acme.test:8443/v1'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
    ['secret', undefined],
    ['data:text/plain,secret', undefined],
    [7, undefined],
  ])('SES-01 emits for the base URL %j only %j', async (baseUrl, told) => {
    const started = await startOf(saying({ baseUrl }))
    expect(started?.configuration?.baseUrl).toBe(told)
    expect(JSON.stringify(started)).not.toContain('secret')
  })

  test('SES-01 a fork emits its start and its configuration, and is recorded completely below its original', async () => {
    const { agent, store } = testAgent({ replies: ['One', 'Two'], configName: 'Careful' })
    const original = agent.start('Go', { runId: 'original' })
    await original.settled()
    const [first] = await original.history()
    await (await agent.fork('original', { from: first?.version ?? 0, runId: 'fork' })).settled()
    const { runs } = (await recordSessions(store))[0] ?? { runs: [] }
    expect(runs.slice(1)).toMatchObject([
      { id: 'fork', parentRunId: 'original', status: 'completed', configuration: { configName: 'Careful' } },
    ])
  })

  test.each(wires.map((wire) => [wire.name, wire] as const))(
    'SES-01 a model of the wire %s names its wire',
    (_name, { make }) => {
      const { wire, baseUrl } = make('http://127.0.0.1:9/v1')
      expect(wire).toMatch(/^[a-z-]+$/)
      expect(baseUrl === undefined ? wire : new URL(baseUrl).host).toMatch(/^(ai-sdk|127\.0\.0\.1:9)$/)
    },
  )

  test('SES-01 omits an address that the environment does not have yet, without an error', () => {
    for (const name of ['AZURE_OPENAI_ENDPOINT', 'GOOGLE_CLOUD_PROJECT', 'ANTHROPIC_BASE_URL'])
      vi.stubEnv(name, undefined)
    const models = [azure('gpt'), vertex('gemini'), anthropic('claude')]
    expect(models.map(({ baseUrl }) => baseUrl)).toEqual([undefined, undefined, 'https://api.anthropic.com'])
    vi.stubEnv('AZURE_OPENAI_ENDPOINT', 'https://example.openai.azure.com')
    expect(models[0]?.baseUrl).toBe('https://example.openai.azure.com/openai/v1')
  })

  test('SES-01 an actor in any app emits its configuration too', async () => {
    const { agent } = testAgent({ replies: ['Done.'], request: { temperature: 0.5 } })
    const actor = createActor(agent.machine, { input: agent.machineInput('Go') })
    const started = new Promise<AgentEvent>((tell) => actor.on('run.started', tell))
    actor.start()
    expect(await started).toMatchObject({
      configuration: { provider: 'scripted', model: 'scripted', temperature: 0.5 },
    })
  })

  test('SES-01 the record contains the configuration, also from stored events, and otherwise the model of the first answer', async () => {
    const model = saying({ wire: 'acme-chat', contextWindow: 1000 })
    const agent = createAgent({ name: 'guide', model, configId: 'c', configName: 'Careful' })
    const run = await agent.session('s').prompt('Go')
    await run.settled()
    const stored: AgentEvent[] = []
    for await (const event of run.events({ deltas: false })) stored.push(event)
    const recorded = (events: readonly AgentEvent[]) => recordEvents(events)[0]?.runs[0]?.configuration
    const configuration = { provider: 'scripted', model: 'scripted', configId: 'c', configName: 'Careful' }
    expect(recorded(stored)).toEqual({ ...configuration, wire: 'acme-chat', contextWindow: 1000 })
    const older = stored.map((event) => {
      if (event.type !== 'run.started') return event
      const { configuration: _, ...rest } = event
      return rest
    })
    const known = { provider: 'scripted', model: 'scripted', configId: 'c' }
    expect(recorded(older)).toEqual(known)
  })
})

test('SES-02 parallel runs are siblings, and the continued one is selected', async () => {
  const { agent, store } = testAgent({ replies: ['Done.', 'More.'] })
  const begin = (runId: string) => agent.start('Go', { runId, subject: 'talk', parallelGroup: 'g' })
  const runs = ['a', 'b', 'c'].map(begin)
  await Promise.all(runs.map((run) => run.settled()))
  await agent.start('Alone', { runId: 'd', subject: 'talk' }).settled()
  const session = async () => {
    const found = (await recordSessions(store)).find(({ id }) => id === 'talk')
    if (found === undefined) throw new Error('There is no session.')
    return found
  }
  const group = { id: 'g', runIds: ['a', 'b', 'c'] }
  expect(runOf(await session(), 'b')?.parallelGroup).toEqual({ ...group, isSelected: false })
  const next = await runs[1]?.prompt('And?', { runId: 'e' })
  await next?.settled()
  const selected = { ...group, selectedRunId: 'b', selectedIndex: 1 }
  const talk = await session()
  const told = ['a', 'b', 'c', 'd', 'e'].map((id) => runOf(talk, id)?.parallelGroup)
  const first = { ...selected, isSelected: false }
  expect(told).toEqual([first, { ...selected, isSelected: true }, first, undefined, undefined])
  expect(parallelSiblings(talk, 'a').map(({ id }) => id)).toEqual(['b', 'c'])
})
