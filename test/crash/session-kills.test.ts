import { expect, test } from 'vitest'
import { killSessionWrites } from '../../proof/crash/session-kills.ts'

test('SES-02 TST-03 SQLite: a change of sessions, killed after any page it writes, is stored completely or not at all', async () => {
  const { points, findings } = await killSessionWrites()
  expect(findings).toEqual([])
  expect(points).toBeGreaterThan(40)
}, 120_000)

test('TST-03 notices a rotation that changes the sessions in a separate write', async () => {
  const careless = await killSessionWrites(
    (store) => ({
      ...store,
      async create(run, owner, ttlMs, first) {
        const { records = [], ...bare } = run
        for (const change of records) await store.change(change)
        return store.create(bare, owner, ttlMs, first)
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
      async delete(what, found) {
        const runs = typeof what === 'string' ? [] : await store.list({ session: what.session ?? '' })
        for (const { id } of runs) await store.delete(id)
        return store.delete(what, found)
      },
    }),
    'delete the session that reads',
  )
  expect(careless.findings.some((finding) => finding.includes('in part'))).toBe(true)
}, 120_000)
