import { spawnSync } from 'node:child_process'

const tell = 'const { user, system } = process.cpuUsage(); console.log((user + system) / 1000)'

/** Milliseconds of processor time of a fresh process that runs a program, from its start. */
export function processTime(program: string): number {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', `${program}\n${tell}`], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 60_000,
  })
  if (status !== 0) throw new Error(`${program} fails: ${stderr.trim().slice(-300)}`)
  return Number(stdout.trim().split('\n').at(-1))
}
