import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'

const agentOn = (store = memoryStore()) => createAgent({ name: 'guide', model: scripted(['Hello.']), store })

test("RUN-05 keeps a run's labels and returns them when the run is loaded", async () => {
  const store = memoryStore()
  const labels = { folder: '/work', model: 'a/b' }
  const run = agentOn(store).start('Hi', { runId: 'r', labels })
  labels.folder = '/elsewhere'
  expect(await run.labels()).toEqual({ folder: '/work', model: 'a/b' })
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(await (await agentOn(store).load('r')).labels()).toEqual({ folder: '/work', model: 'a/b' })
})

test('RUN-05 returns no labels for a run that was started without any', async () => {
  expect(await agentOn().start('Hi').labels()).toEqual({})
})

test("CKP-08 copies a run's labels to its forks", async () => {
  const agent = agentOn()
  await agent.run('Hi', { runId: 'r', labels: { folder: '/work' } })
  const fork = await agent.fork('r', { from: 1 })
  expect(await fork.labels()).toEqual({ folder: '/work' })
  expect((await fork.settled()).status).toBe('done')
})

const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`label-${index}`, '']))

test('RUN-05 accepts labels up to the stated maximum number, name length and value length', async () => {
  const labels = { ...many(19), ['n'.repeat(1_000)]: 'x'.repeat(1_000) }
  const run = agentOn().start('Hi', { labels })
  expect(await run.labels()).toEqual(labels)
  await run.settled()
})

test.each<[string, unknown, string]>([
  ['a number', { size: 1 }, 'Label "size" is refused.'],
  ['a text that is too long', { text: 'x'.repeat(1_001) }, 'Label "text" is refused.'],
  ['a name that is too long', { ['n'.repeat(1_001)]: '' }, `Label "${'n'.repeat(80)}" is refused.`],
  ['half a character pair', { text: '\ud800' }, 'Label "text" is refused.'],
  ['a label without a name', { '': 'text' }, 'Label "" is refused.'],
  [
    'a name no store takes',
    JSON.parse('{"__proto__":"text"}'),
    'The labels has the key "__proto__", which is not allowed.',
  ],
  ['too many labels', many(21), '21 labels were given.'],
  ['a list', ['text'], 'The labels are not a plain object.'],
  ['null', null, 'The labels are not a plain object.'],
])('RUN-05 refuses %s as labels and stores nothing', async (_what, labels, problem) => {
  const store = memoryStore()
  const refused = () => agentOn(store).start('Hi', { labels: labels as { readonly [name: string]: string } })
  const message = `${problem} Expected at most 20 texts of at most 1000 characters, by name.`
  expect(refused).toThrow(expect.objectContaining({ name: 'UsageError', code: 'bad_option', message }))
  expect(await store.list()).toEqual([])
})
