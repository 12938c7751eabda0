import { expect, test } from 'vitest'
import { killSessionWrites } from '../../proof/crash/session-kills.ts'

test('SES-02 TST-03 SQLite: a change of sessions, killed after any page it writes, is there whole or not at all', async () => {
  const { points, findings } = await killSessionWrites()
  expect(findings).toEqual([])
  expect(points).toBeGreaterThan(40)
}, 120_000)

test('TST-03 notices a rotation that takes what was queued in a write of its own', async () => {
  const careless = await killSessionWrites(
    (store) => ({
      ...store,
      async create(run, owner, ttlMs, first) {
        const { rotatedFrom, ...session } = run.session ?? { expected: 0, state: undefined }
        const lease = await store.create(session.state === undefined ? run : { ...run, session }, owner, ttlMs, first)
        if (rotatedFrom !== undefined) await store.changeSession(rotatedFrom.state, rotatedFrom.expected)
        return lease
      },
    }),
    'rotate',
  )
  expect(careless.findings.some((finding) => /^rotate, .*in part/.test(finding))).toBe(true)
}, 120_000)

test('TST-03 notices a session that is deleted run by run', async () => {
  const careless = await killSessionWrites(
    (store) => ({
      ...store,
      async deleteSession(id, options) {
        for (const run of await store.list({ session: id })) await store.delete(run.id)
        return store.deleteSession(id, options)
      },
    }),
    'delete the session that reads',
  )
  expect(careless.findings.some((finding) => finding.includes('in part'))).toBe(true)
}, 120_000)
