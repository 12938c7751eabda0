import { spawnSync } from 'node:child_process'

/** Runs a program in a process in which one package is missing; gives what it printed. Throws what it complained of. */
export function withoutPackage(missing: string, program: string): string {
  const hooks = `
    import { registerHooks } from 'node:module'
    registerHooks({ resolve(specifier, context, next) {
      if (specifier.startsWith(${JSON.stringify(missing)})) throw new Error('Cannot find package')
      return next(specifier, context)
    } })
    ${program}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', hooks], { encoding: 'utf8' })
  if (stderr !== '') throw new Error(stderr)
  return stdout.trim()
}
