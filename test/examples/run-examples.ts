import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What an example printed, what it left in its temporary folder, and how its process ended. */
export interface Ran {
  readonly status: number | null
  readonly stderr: string
  readonly left: readonly string[]
  readonly lines: readonly string[]
}

/** Runs examples one after the other in one process; each has a temporary folder of its own. */
export function runExamples(names: readonly string[]): ReadonlyMap<string, Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'example-test-'))
  const program = names.map((name) => {
    mkdirSync(join(folder, name))
    const start = `process.env.TMPDIR = ${JSON.stringify(join(folder, name))}; console.log('@')`
    return `${start}; await import('./examples/${name}.ts')`
  })
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program.join('\n')], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' },
  })
  const printed = stdout.split(/^@\n/m).slice(1)
  const ran = names.map((name, at) => {
    const lines = (printed[at] ?? '').trimEnd().split('\n')
    return [name, { status, stderr, left: readdirSync(join(folder, name)), lines }] as const
  })
  rmSync(folder, { recursive: true })
  return new Map(ran)
}
