import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'

/** Has this Node believe that it is another version. */
function disguise(version: string): string {
  return `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
}

/** Runs a file on this Node in disguise. */
function runAs(version: string, file: string) {
  const loader = `data:text/javascript,${encodeURIComponent(disguise(version))}`
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', loader, file, 'help'], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('on an old Node', () => {
  test.each(['14.21.3', '20.20.2', '22.12.0'])(
    'the program explains itself on %s before it imports anything',
    (version) => {
      expect(runAs(version, 'bin/statewright.js')).toEqual({
        status: 2,
        stdout: '',
        stderr: `statewright needs Node 22.16 or newer; this is ${version}. Install a newer Node and try again.\n`,
      })
    },
  )

  test('the SQLite store gives the same explanation on import as the program', () => {
    const hooks = `import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) {
        if (name === 'node:sqlite') throw new Error('No such built-in module')
        return next(name, context)
      } })`
    const loaders = [disguise('20.20.2'), hooks].flatMap((text) => [
      '--import',
      `data:text/javascript,${encodeURIComponent(text)}`,
    ])
    const program = `await import('./src/adapters/stores/sqlite/sqlite-store.ts').catch(({ message }) => console.log(message))`
    const given = [...loaders, '--input-type=module', '--eval', program]
    const { stdout } = spawnSync(process.execPath, given, { encoding: 'utf8' })
    expect(stdout).toBe('statewright needs Node 22.16 or newer; this is 20.20.2. Install a newer Node and try again.\n')
  })

  test('createAgent gives the same explanation as the program', () => {
    const loader = `data:text/javascript,${encodeURIComponent(`${disguise('20.10.0')}; delete Promise.withResolvers; delete process.getBuiltinModule`)}`
    const program = `const { createAgent } = await import('./src/index.ts')
      try { createAgent({}) } catch ({ name, code, message }) { console.log([name, code, message].join('|')) }`
    const given = ['--import', loader, '--input-type=module', '--eval', program]
    expect(spawnSync(process.execPath, given, { encoding: 'utf8' })).toMatchObject({
      stdout:
        'UsageError|old_platform|statewright needs Node 22.16 or newer; this is 20.10.0. Install a newer Node and try again.\n',
      stderr: '',
    })
  })

  test.each(['20.20.2', '22.17.1', '23.5.0'])('the scripts of the repository explain themselves on %s', (version) => {
    const { status, stderr } = runAs(version, 'scripts/need-node.js')
    expect(status).toBe(1)
    expect(stderr).toContain(`Node ${version} cannot run the scripts`)
    expect(stderr).toContain('npm ci --ignore-scripts=false')
  })

  test.each(['22.18.0', '23.6.0', '24.0.0'])('the scripts of the repository print nothing on %s', (version) => {
    expect(runAs(version, 'scripts/need-node.js')).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})
