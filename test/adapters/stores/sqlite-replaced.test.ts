import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { quiet, runId, testAgent } from '../../../proof/support/test-agent.ts'
import { toolNamed } from '../../../proof/support/tools.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'

describe('CKP-05 replaced files', () => {
  const twice = [
    { toolCalls: [{ id: 'c1', name: 'move', arguments: {} }] },
    { toolCalls: [{ id: 'c2', name: 'pay', arguments: {} }] },
    'Done.',
  ]
  const acts: readonly (readonly [string, (file: string) => void])[] = [
    ['deleted', (file) => rmSync(file)],
    [
      'replaced',
      (file) => {
        renameSync(file, `${file}.old`)
        writeFileSync(file, '')
      },
    ],
    ['without its log', (file) => rmSync(`${file}-wal`)],
  ]

  test.each(acts)(
    'CKP-05 notices a deleted or replaced file before a tool that must not run twice: %s',
    async (_, act) => {
      const file = join(await temporaryFolder(), 'runs.db')
      const store = sqliteStore(file)
      const paid: string[] = []
      const pay = toolNamed('pay', () => `paid ${paid.push('once')}`)
      const move = toolNamed(
        'move',
        () => {
          act(file)
          return 'moved'
        },
        { effects: 'none' },
      )
      const { agent } = testAgent({ replies: twice, store, tools: [move, pay] })
      await expect(agent.start('Hi', { runId }).settled()).rejects.toMatchObject({
        code: 'store_replaced',
        message: expect.stringContaining('deleted or replaced'),
      })
      expect(paid).toEqual([])
      await store.close()
      await quiet()
    },
  )
})
