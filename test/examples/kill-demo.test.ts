import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compiled } from '../../proof/support/compiled.ts'

test('TC-08 DEC-07 the demo survives a kill inside a tool and leaves no files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'demo-test-'))
  const { status, stdout, stderr } = spawnSync(process.execPath, ['examples/kill-demo.ts'], {
    encoding: 'utf8',
    env: { ...compiled, PATH: process.env['PATH'] ?? '', TMPDIR: folder },
  })
  expect(stderr).toBe('')
  expect(stdout).toMatch(/^Everything held: .* written exactly once \(.* s\)\.$/m)
  expect(status).toBe(0)
  expect(readdirSync(folder)).toEqual([])
  rmdirSync(folder)
}, 60_000)
