import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, calls } from '../../../proof/support/say.ts'
import { temporaryFolder as rootFolder } from '../../../proof/support/temporary-folder.ts'
import { runId, testAgent } from '../../../proof/support/test-agent.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { fileTools } from '../../../src/adapters/tools/files.ts'
import { temporaryFolder } from './temporary-folder.ts'

const count = 20

/** A text of 49 kB whose lines are much like one another, so that it is kept in thousands of pieces. */
function contentOf(file: number): string {
  return Array.from({ length: 3000 }, (_, line) => `line ${line} of file ${file}\n`)
    .join('')
    .slice(0, 49_000)
}

test('TOOL-02 SQLite: performs twenty suspended writes of 49 kB each after another process approves them', async () => {
  using folder = temporaryFolder()
  const root = await rootFolder()
  const path = folder.file('runs.db')
  const asked = Array.from({ length: count }, (_, file) =>
    call(`c${file}`, 'write_file', { path: `${file}.ts`, content: contentOf(file) }),
  )
  const replies = [calls(...asked), 'Done.']
  const tools = fileTools({ root })
  const first = testAgent({ store: sqliteStore(path, { synchronous: 'normal' }), replies, tools })
  const waiting = await first.agent.run('Hi', { runId })
  expect(waiting.suspended).toHaveLength(count)
  await first.store.close()

  const second = testAgent({ store: sqliteStore(path, { synchronous: 'normal' }), replies, tools, process: 'p2' })
  const run = await second.agent.load(runId)
  expect((await run.result()).status).toBe('waiting')
  for (const { callId } of waiting.suspended) expect((await run.approve(callId)).answer).toBe('applied')
  expect(await run.settled()).toMatchObject({ status: 'done', text: 'Done.' })
  for (let file = 0; file < count; file++) {
    expect((await readFile(join(root, `${file}.ts`), 'utf8')) === contentOf(file)).toBe(true)
  }
  await second.store.close()
})
