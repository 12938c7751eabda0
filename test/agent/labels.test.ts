import { expect, test } from 'vitest'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { memoryStore } from '../../src/stores/memory/memory-store.ts'

const agentOn = (store = memoryStore()) => createAgent({ name: 'guide', model: scripted(['Hello.']), store })

test('RUN-05 keeps labels with a run and gives them back to whoever loads it', async () => {
  const store = memoryStore()
  const labels = { folder: '/work', model: 'a/b' }
  const run = agentOn(store).start('Hi', { runId: 'r', labels })
  labels.folder = '/elsewhere'
  expect(await run.labels()).toEqual({ folder: '/work', model: 'a/b' })
  expect((await run.settled()).outcome).toEqual({ reason: 'natural_end' })
  expect(await (await agentOn(store).load('r')).labels()).toEqual({ folder: '/work', model: 'a/b' })
})

test('RUN-05 gives no labels of a run that was started without', async () => {
  expect(await agentOn().start('Hi').labels()).toEqual({})
})

test('CKP-08 hands the labels of a run to its forks', async () => {
  const agent = agentOn()
  await agent.run('Hi', { runId: 'r', labels: { folder: '/work' } })
  const fork = await agent.fork('r', { from: 1 })
  expect(await fork.labels()).toEqual({ folder: '/work' })
  expect((await fork.settled()).status).toBe('done')
})

const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`label-${index}`, '']))

test.each<[string, unknown]>([
  ['a number', { size: 1 }],
  ['a text that is too long', { text: 'x'.repeat(1_001) }],
  ['half a character pair', { text: '\ud800' }],
  ['a label without a name', { '': 'text' }],
  ['a name no store takes', JSON.parse('{"__proto__":"text"}')],
  ['too many labels', many],
  ['a list', ['text']],
  ['null', null],
])('RUN-05 refuses %s as labels and stores nothing', async (_what, labels) => {
  const store = memoryStore()
  const refused = () => agentOn(store).start('Hi', { labels: labels as { readonly [name: string]: string } })
  expect(refused).toThrow(expect.objectContaining({ name: 'UsageError', code: 'bad_option' }))
  expect(await store.list()).toEqual([])
})
