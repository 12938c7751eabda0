import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test, vi } from 'vitest'
import { fileSessionStore } from '../../../src/adapters/recorder/file-session-store.ts'
import { lockSession } from '../../../src/adapters/recorder/session-lock.ts'
import type { RecordedSession } from '../../../src/adapters/recorder/session-record.ts'
import { temporaryFolder } from '../stores/temporary-folder.ts'

const session = (id: string): RecordedSession => ({
  id,
  agentId: 'guide',
  createdAt: 1,
  lastActiveAt: 1,
  formation: { kind: 'explicit' },
  runs: [],
})

describe('SES-03 files', () => {
  test('SES-03 a session is a formatted file that only its owner can read, and no other file is left', async () => {
    using folder = temporaryFolder()
    const path = folder.file('sessions')
    const store = fileSessionStore(path)
    const stored = () => readFileSync(`${path}/talk-7.json`, 'utf8')
    const pretty = `${JSON.stringify({ format: 'statewright-session', version: 1, ...session('talk-7') }, undefined, 2)}\n`
    await store.save(session('talk-7'))
    expect(stored()).toBe(pretty)
    writeFileSync(`${path}/talk-7.json.tmp`, 'what a killed process left')
    await store.save(session('talk-7'))
    expect(readdirSync(path)).toEqual(['talk-7.json', 'talk-7.lock'])
    expect(stored()).toBe(pretty)
    expect([path, `${path}/talk-7.json`].map((name) => statSync(name).mode & 0o777)).toEqual([0o700, 0o600])
    await store.delete('talk-7')
    expect(readdirSync(path)).toEqual([])
  })

  test('SES-03 a session that another process writes is locked, and the others are not', async () => {
    using folder = temporaryFolder()
    const path = folder.file('sessions')
    const store = fileSessionStore(path, { waitMs: 0 })
    for (const id of ['a', 'b']) await store.save(session(id))
    const holder = new DatabaseSync(`${path}/a.lock`)
    holder.exec('BEGIN EXCLUSIVE')
    await expect(store.save(session('a'))).rejects.toMatchObject({ name: 'SessionError', code: 'locked' })
    await expect(store.delete('a')).rejects.toMatchObject({ code: 'locked' })
    await store.save(session('b'))
    expect((await store.list()).map(({ id }) => id)).toEqual(['a', 'b'])
    expect(await store.load('a')).toEqual(session('a'))
    holder.close()
    await store.save(session('a'))
  })

  test('SES-03 a lock is free as soon as the process that held it is killed', async () => {
    using folder = temporaryFolder()
    const path = folder.file('sessions')
    const store = fileSessionStore(path, { waitMs: 0 })
    await store.save(session('a'))
    const program = `
      const database = new (require('node:sqlite').DatabaseSync)(${JSON.stringify(`${path}/a.lock`)})
      database.exec('BEGIN EXCLUSIVE')
      console.log('held')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    await once(child.stdout, 'data')
    const whileHeld = await store.save(session('a')).catch((error: unknown) => error)
    child.kill('SIGKILL')
    await exited
    expect(whileHeld).toMatchObject({ code: 'locked' })
    await store.save(session('a'))
  }, 60_000)

  test.each(['before', 'after'])(
    'SES-03 retakes a lock if somebody deletes its file %s it is taken, and keeps others out',
    (moment) => {
      using folder = temporaryFolder()
      const path = folder.file('talk-7.lock')
      writeFileSync(path, '')
      const { exec } = DatabaseSync.prototype
      let deleted = 0
      const remove = () => deleted++ === 0 && unlinkSync(path)
      vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
        const isTaking = sql === 'BEGIN EXCLUSIVE'
        if (isTaking && moment === 'before') remove()
        exec.call(this, sql)
        if (isTaking && moment === 'after') remove()
      })
      const lock = lockSession(path, 'talk-7')
      expect(deleted).toBeGreaterThan(0)
      expect(() => lockSession(path, 'talk-7')).toThrow(expect.objectContaining({ code: 'locked' }))
      lock.release()
      lockSession(path, 'talk-7').release()
    },
  )

  test('SES-03 two stores that save and delete one session in turns leave no files', async () => {
    using folder = temporaryFolder()
    const path = folder.file('sessions')
    const [one, two] = [fileSessionStore(path), fileSessionStore(path)]
    const refusals: unknown[] = []
    await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        const store = index % 2 === 0 ? one : two
        await store.save(session('a'))
        await store.delete('a').catch((error: unknown) => refusals.push(error))
      }),
    )
    const unknown = expect.objectContaining({ code: 'session_unknown' })
    expect(refusals).toEqual(refusals.map(() => unknown))
    expect(readdirSync(path)).toEqual([])
  })

  test('SES-03 lists an unreadable session as unreadable, after the readable ones', async () => {
    using folder = temporaryFolder()
    const path = folder.file('sessions')
    const store = fileSessionStore(path)
    for (const id of ['cut', 'sound']) await store.save(session(id))
    truncateSync(`${path}/cut.json`, 40)
    writeFileSync(`${path}/foreign.json`, '[]')
    writeFileSync(`${path}/notes.txt`, 'not ours')
    mkdirSync(`${path}/folder.json`)
    symlinkSync(`${path}/sound.json`, `${path}/link.json`)
    writeFileSync(`${path}/huge.json`, '')
    truncateSync(`${path}/huge.json`, 300_000_000)
    const listed = await store.list()
    const told = (pattern: RegExp) => expect.stringMatching(pattern)
    expect(listed.map((head) => ('damaged' in head ? [head.id, head.damaged] : head.id))).toEqual([
      'sound',
      ...[
        [
          'cut',
          told(/cut\.json" is damaged: it is not complete JSON .* restore this one from a copy, or delete it\.$/),
        ],
        ['folder', told(/is not a plain file/)],
        ['foreign', told(/is not a session of statewright\. Nothing was changed/)],
        ['huge', told(/is damaged: it is larger than 200000000 bytes/)],
        ['link', told(/is not a plain file/)],
      ],
    ])
    await expect(store.save(session('link'))).rejects.toMatchObject({ code: 'session_foreign' })
    await expect(store.delete('foreign')).rejects.toMatchObject({ code: 'session_foreign' })
    await store.delete('cut')
    expect(readFileSync(`${path}/foreign.json`, 'utf8')).toBe('[]')
  })

  test('SES-03 throws a typed error for a folder that is not one', async () => {
    using folder = temporaryFolder()
    const path = folder.file('taken')
    writeFileSync(path, '')
    await expect(fileSessionStore(path).save(session('a'))).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(() => fileSessionStore('')).toThrow(/folder/)
  })
})
