import { expect, test } from 'vitest'
import { SnapshotError } from '../../../src/index.ts'
import type { Store, StoredRun } from '../../../src/core/ports/store.ts'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { call, calls } from '../../../proof/support/say.ts'
import { toolbox } from '../../../proof/support/tools.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'

/** A stored run whose checkpoint somebody has changed. */
function tampered(inner: Store, change: (document: string) => string): Store & { readonly commits: number } {
  const store = {
    ...inner,
    commits: 0,
    async claim(...given: Parameters<Store['claim']>) {
      const { run, ...claimed } = await inner.claim(...given)
      return { ...claimed, run: changedRun(run, change) }
    },
    async commit(commit: Parameters<Store['commit']>[0]) {
      store.commits++
      return inner.commit(commit)
    },
  }
  return store
}

function changedRun(run: StoredRun, change: (document: string) => string): StoredRun {
  if (run.checkpoint === null) throw new Error('The run has no checkpoint to change.')
  return { ...run, checkpoint: { ...run.checkpoint, document: change(run.checkpoint.document) }, document: null }
}

function replaced(from: string | RegExp, to: string) {
  return (document: string): string => {
    const changed = document.replace(from, to)
    if (changed === document) throw new Error(`Nothing to replace in ${document}`)
    return changed
  }
}

/** The status of the run's own actor, which stands first. */
function rootIs(status: string) {
  return replaced(/"root":\{"status":"active"/, `"root":{"status":"${status}"`)
}

const changes: readonly (readonly [string, (document: string) => string])[] = [
  ['a __proto__ key', replaced('"context":{', '"context":{"__proto__":{"isAdmin":true},')],
  ['a constructor key', replaced('"context":{', '"context":{"constructor":{"prototype":{}},')],
  ['an unknown state', replaced('"value":"waiting"', '"value":"resting"')],
  ['an unknown nested state', replaced('"suspended":"resting"', '"suspended":"dreaming"')],
  ['an unknown actor', replaced('"src":"sleep"', '"src":"doze"')],
  ['an unknown machine', replaced('"src":"toolCall"', '"src":"spell"')],
  ['the schema of another version', replaced('"schema":1', '"schema":99')],
  ['a schema that is not a number', replaced('"schema":1', '"schema":"1"')],
  ['half of its JSON', (document) => document.slice(0, document.length / 2)],
  ['no JSON at all', () => 'gone'],
  ['a list in place of an object', () => '[]'],
  ['no snapshot', replaced('"root":', '"stem":')],
  ['a root that is stopped', rootIs('stopped')],
  ['a root that is done', rootIs('done')],
  ['a root that has failed', rootIs('error')],
  ['a root of a status nobody knows', rootIs('dozing')],
  ['an actor of a status nobody knows', replaced(/("src":"toolCall","snapshot":\{"status":)"active"/, '$1"dozing"')],
  ['an actor without a state', replaced('"children":{', '"children":{"ghost":{"src":"toolCall","snapshot":{}},')],
]

test.each(changes)('CKP-07 refuses a stored state with %s, and leaves the store unchanged', async (_, change) => {
  const store = memoryStore()
  const { act, done } = toolbox()
  const tools = [act('act', { needs: 'approval' })]
  const replies = [calls(call('c1', 'act')), 'Done']
  const sound = testAgent({ replies, tools, store })
  await sound.agent.run('Hi', { runId })
  const before = { run: await store.read(runId), inbox: await store.inbox(runId, { isOpen: true }) }
  const broken = tampered(store, change)
  const run = await testAgent({ replies, tools, store: broken, process: 'p2' }).agent.load(runId)

  const refused = run.settled()
  await expect(refused).rejects.toBeInstanceOf(SnapshotError)
  await expect(refused).rejects.toMatchObject({
    code: 'snapshot_unreadable',
    message: expect.stringContaining(`Run "${runId}" cannot be continued`),
  })
  expect(broken.commits).toBe(0)
  expect({ run: await store.read(runId), inbox: await store.inbox(runId, { isOpen: true }) }).toEqual(before)

  const again = await sound.agent.load(runId)
  await again.approve('1.c1')
  expect(await again.settled()).toMatchObject({ status: 'done', text: 'Done' })
  expect(done).toEqual(['act {}'])
})

test("CKP-07 explains why the charts cannot restore a call's state", async () => {
  const tools = [toolbox().act('act', { needs: 'approval' })]
  const { agent, store } = testAgent({ replies: [calls(call('c1', 'act'))], tools })
  await agent.run('Hi', { runId })
  const broken = tampered(store, replaced('"suspended":"resting"', '"suspended":"dreaming"'))
  const run = await testAgent({ replies: ['Done'], tools, store: broken, process: 'p2' }).agent.load(runId)

  await expect(run.settled()).rejects.toMatchObject({
    message: expect.stringMatching(/the charts do not know its actors 1\.c1.* \(.*'dreaming'.*\)/),
    cause: expect.any(Error),
  })
})
