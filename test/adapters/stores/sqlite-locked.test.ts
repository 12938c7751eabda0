import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { lockHolder } from '../../../src/adapters/stores/sqlite/lock-holder.ts'
import { sqliteStore } from '../../../src/adapters/stores/sqlite/sqlite-store.ts'
import { createDriver, says } from '../../../src/testing/stores/store-suite-fixtures.ts'
import { temporaryFolder } from './temporary-folder.ts'

const holding = `
  const { DatabaseSync } = require('node:sqlite')
  new DatabaseSync(process.argv[1]).exec('BEGIN IMMEDIATE')
  console.log('held')
  setInterval(() => {}, 1000)`

test.skipIf(!existsSync('/proc/locks'))(
  'CKP-09 SQLite: an error about a locked store names the process that holds it, and says that it is stopped',
  async () => {
    using folder = temporaryFolder()
    const path = folder.file('runs.db')
    const store = sqliteStore(path)
    const driver = await createDriver(store, 'run')
    expect(lockHolder(path)).toBeUndefined()
    const child = spawn(process.execPath, ['-e', holding, path], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child.stdout, 'data')
    expect(lockHolder(path)).toEqual({ pid: child.pid, isStopped: false })
    const pid = `process ${child.pid}`
    await expect(driver.commit({ entries: [says('one')] })).rejects.toMatchObject({
      code: 'store_busy',
      message: expect.stringContaining(`is locked by ${pid} and stayed so.`),
    })
    child.kill('SIGSTOP')
    await expect.poll(() => lockHolder(path)).toEqual({ pid: child.pid, isStopped: true })
    await expect(driver.commit({ entries: [says('one')] })).rejects.toMatchObject({
      message: expect.stringContaining(`is locked by ${pid}, which is stopped, and stayed so. Continue it, or end it`),
    })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await driver.commit({ entries: [says('one')] })).toEqual({ version: 1 })
    await store.close()
  },
)
