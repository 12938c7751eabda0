import { expect, test } from 'vitest'
import { runScript } from '../../proof/support/run-script.ts'

test('SCALE-01 CKP-05 runs come to one end each, and pay once, while their workers are killed and stopped', () => {
  const { lines, figures } = runScript('chaos', ['--runs', '6', '--faults', '2'])
  expect(lines[0]).toMatch(/^SQLite, many processes /)
  expect(figures).toMatchObject({ settings: [{ name: 'SQLite, many processes', faults: 2, lost: 0, doubled: 0 }] })
}, 120_000)
