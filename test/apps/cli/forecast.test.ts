import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { agentModule } from './agent-modules.ts'
import { call } from './command.ts'

describe('VER-01 statewright forecast', () => {
  let cwd: string
  let module: string

  beforeEach(async () => {
    cwd = await temporaryFolder()
    module = await agentModule(cwd, 'given a store')
    await call(['run', 'Stamp it.', '--agents', module], { cwd })
  })

  /** Writes the module with other code, and returns its name. */
  function changed(from: string, to: string): string {
    const text = readFileSync(join(cwd, module), 'utf8')
    expect(text).toContain(from)
    writeFileSync(join(cwd, 'new.mjs'), text.replace(from, to))
    return 'new.mjs'
  }

  test('VER-01 reports that a run would continue the same way', async () => {
    const found = await call(['forecast', '--agents', module], { cwd })
    expect(found).toMatchObject({ code: 0, out: '1 open run: 1 would continue alike\n' })
  })

  test('VER-01 names runs that would go on differently, with exit code 1', async () => {
    const found = await call(['forecast', '--agents', changed("'Stamps'", "'Stamps twice'")], { cwd })
    const reason = 'An approved call of "stamp" would be asked about again, because its definition has changed.'
    expect(found).toMatchObject({ code: 1, out: expect.stringContaining(`  otherwise  ${reason}\n    1 run: `) })
  })

  test('VER-01 names a run without an agent, with exit code 4, and prints one object with --json', async () => {
    const other = changed("name = 'clerk'", "name = 'clerks'")
    const { code, out } = await call(['forecast', '--agents', other, '--json'], { cwd })
    expect(code).toBe(4)
    expect(JSON.parse(out)).toMatchObject({
      checked: 1,
      alike: 0,
      groups: [{ outlook: 'stuck', reason: expect.stringContaining('Has it become "clerks"?') }],
    })
  })

  test('VER-01 compares with the agents of --from, and omits what both do', async () => {
    const other = changed("'Stamps'", "'Stamps twice'")
    const same = await call(['forecast', '--agents', other, '--from', other], { cwd })
    expect(same).toMatchObject({ code: 0, out: '1 open run: 1 would continue alike\n' })
    const found = await call(['forecast', '--agents', module, '--from', other, '--json'], { cwd })
    expect(found.code).toBe(1)
    const reasons = (JSON.parse(found.out) as { groups: { reason: string }[] }).groups.map(({ reason }) => reason)
    expect(reasons).toEqual([
      'The model would be offered other tools.',
      'Only with the code before: An approved call of "stamp" would be asked about again, because its definition has changed.',
    ])
  })

  test.each([
    ['that throws', 'no key'],
    ['without an agent', 'exports no agent'],
  ] as const)('VER-01 refuses a module %s, for --agents and --from', async (which, message) => {
    const broken = await agentModule(cwd, which)
    for (const argv of [
      ['--agents', broken],
      ['--agents', module, '--from', broken],
    ]) {
      const found = await call(['forecast', ...argv], { cwd })
      expect(found).toMatchObject({ code: 2, err: expect.stringContaining(message) })
      expect(found.err).not.toContain('    at ')
    }
  })

  test('VER-01 refuses a missing module, and a store of a later layout, and changes no byte of the file', async () => {
    const missing = await call(['forecast', '--agents', module, '--from', 'gone.mjs'], { cwd })
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('--from <file>') })
    const file = join(cwd, '.statewright/runs.db')
    const before = readFileSync(file)
    expect((await call(['forecast', '--agents', module], { cwd })).code).toBe(0)
    expect(readFileSync(file).equals(before)).toBe(true)
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 99')
    database.close()
    const later = readFileSync(file)
    expect((await call(['forecast', '--agents', module], { cwd })).code).toBe(4)
    expect(readFileSync(file).equals(later)).toBe(true)
  })

  test('VER-01 requires --agents', async () => {
    const found = await call(['forecast'], { cwd })
    expect(found).toMatchObject({ code: 2, err: expect.stringContaining('--agents <file>') })
  })
})
