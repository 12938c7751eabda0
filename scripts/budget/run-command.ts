import { spawnSync } from 'node:child_process'
import { delimiter, resolve } from 'node:path'

/** Programs in node_modules/.bin start `node` by name, so the newer one next to them must come first. */
const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}` }

/** Returns the output of a command; throws with the output if the command fails. */
export function runCommand(command: string, parameters: readonly string[], cwd = process.cwd()): string {
  const { status, stdout, stderr, error } = spawnSync(command, parameters, {
    cwd,
    env,
    encoding: 'utf8',
    timeout: 240_000,
  })
  if (status === 0) return stdout
  throw new Error(`$ ${command} ${parameters.join(' ')}\n${error?.message ?? `${stdout}${stderr}`.trim()}`)
}
