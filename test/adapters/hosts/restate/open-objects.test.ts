import { expect, test } from 'vitest'
import { OpenObjects } from '../../../../src/adapters/hosts/restate/open-objects.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import { replicatedStore } from '../../../../src/adapters/stores/replicated/replicated-store.ts'
import { createAgent } from '../../../../src/index.ts'
import { memoryJournal } from '../../../../proof/support/memory-journal.ts'

function objects() {
  return new OpenObjects(() => {
    const kept = replicatedStore(memoryJournal(), Date)
    return { kept, agent: createAgent({ name: 'clerk', model: scripted(['Done.']), store: kept.store }) }
  })
}

test('SCALE-02 CKP-05 a second request to work on an object waits for the first, which holds its leases', async () => {
  const opened = objects()
  const said: string[] = []
  const first = Promise.withResolvers<void>()
  const working = opened.use('one', async () => {
    await first.promise
    said.push('first')
    throw new Error('failed')
  })
  const second = opened.use('one', async () => said.push('second'))
  await opened.use('another', async () => said.push('another'))
  first.resolve()
  await expect(working).rejects.toThrow('failed')
  await second
  expect(said).toEqual(['another', 'first', 'second'])
})
