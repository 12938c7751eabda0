import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAgent } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'

test('PRV-11 turns with a large file in their history do not write the file again', async () => {
  const file = join(await temporaryFolder(), 'runs.db')
  const store = sqliteStore(file)
  const agent = createAgent({ name: 'reader', model: scripted(Array<string>(20).fill('Seen')), store })
  const session = agent.session('talk')
  const data = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(1_000_000)]).toString('base64')
  await (await session.prompt({ role: 'user', content: [{ type: 'file', data, name: 'a.pdf' }] })).settled()
  for (let turn = 0; turn < 10; turn++) await (await session.prompt(`And ${turn}?`)).settled()
  expect((await session.messages())[0]).toMatchObject({
    content: [{ type: 'file', data, mediaType: 'application/pdf' }],
  })
  await agent.close()
  await store.close()
  // The input of the first run, which it empties, and the log.
  const copies = readFileSync(file, 'latin1').split(data.slice(600_000, 600_100)).length - 1
  expect(copies).toBeGreaterThan(0)
  expect(copies).toBeLessThanOrEqual(2)
})
