import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test("DEC-06 DEC-07 TC-08 PERM-06 TC-10 AGT-18 VER-01 SRV-01 CTX-01 each public thread's answer runs, in at most 40 lines", () => {
  const names = readdirSync('examples/threads').map((file) => file.replace('.ts', ''))
  const page = readFileSync('docs/threads.md', 'utf8')
  expect(names.filter((name) => !page.includes(`(../examples/threads/${name}.ts)`))).toEqual([])
  const lengths = names.map((name) => readFileSync(`examples/threads/${name}.ts`, 'utf8').trimEnd().split('\n').length)
  expect(lengths.filter((length) => length > 40)).toEqual([])
  const program = names.map((name) => `await import('./examples/threads/${name}.ts')`).join('\n')
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 50_000,
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
  })
  expect({ status, stderr, lines: stdout.trimEnd().split('\n').length }).toEqual({ status: 0, stderr: '', lines: 12 })
}, 60_000)
