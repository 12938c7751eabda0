import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

  test('says that a run goes on alike', async () => {
    const found = await call(['forecast', '--agents', module], { cwd })
    expect(found).toMatchObject({ code: 0, out: '1 open run: 1 would go on alike\n' })
  })

  test('names what would go on otherwise, with exit code 1', async () => {
    const found = await call(['forecast', '--agents', changed("'Stamps'", "'Stamps twice'")], { cwd })
    const reason = 'An approved call of "stamp" would be asked about again, because its definition has changed.'
    expect(found).toMatchObject({ code: 1, out: expect.stringContaining(`  otherwise  ${reason}\n    1 run: `) })
  })

  test('names a run without an agent, with exit code 4, and prints one object with --json', async () => {
    const other = changed("name = 'clerk'", "name = 'clerks'")
    const { code, out } = await call(['forecast', '--agents', other, '--json'], { cwd })
    expect(code).toBe(4)
    expect(JSON.parse(out)).toMatchObject({
      checked: 1,
      alike: 0,
      groups: [{ outlook: 'stuck', reason: expect.stringContaining('Has it become "clerks"?') }],
    })
  })

  test('asks for the agents', async () => {
    const found = await call(['forecast'], { cwd })
    expect(found).toMatchObject({ code: 2, err: expect.stringContaining('--agents <file>') })
  })
})
