import { expect, test } from 'vitest'
import { killWrites } from '../../proof/crash/store-kills.ts'

test('CKP-06 TST-03 SQLite: a delete and a continuing run, killed after any page they write, leave no run broken', async () => {
  const { points, findings } = await killWrites()
  expect(findings).toEqual([])
  expect(points).toBeGreaterThan(30)
}, 60_000)

test('TST-03 notices a delete that removes what others read', async () => {
  const careless = await killWrites((store) => ({
    ...store,
    async delete(runId) {
      const { readers } = await store.delete(runId)
      for (const reader of readers) await store.delete(reader)
      return { runs: [], readers: [] }
    },
  }))
  expect(careless.findings.some((finding) => finding.includes('is broken'))).toBe(true)
}, 60_000)
