import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { call } from './command.ts'

const source = resolve('src')
const tools = `import { tool } from '${source}/index.ts'
import { policies } from '${source}/core/plugins/index.ts'
const pay = tool({ name: 'pay', description: 'Pays', input: { type: 'object' }, needs: 'approval', execute: () => '' })
`

describe('TST-06 statewright prove', () => {
  let cwd: string

  beforeEach(async () => {
    cwd = await temporaryFolder()
    writeFileSync(join(cwd, 'clerk.ts'), `${tools}export const options = { name: 'clerk', tools: [pay] }\n`)
  })

  test('TST-06 prints a proof with its bound, and needs no store', async () => {
    const { code, out } = await call(['prove', 'until(not ran(pay), waited(pay))', '--options', 'clerk.ts'], { cwd })
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(
        /proven within 3 calls .* 3 decisions and 2 crashes.*\nCalls: pay\(\{\}\)\nWaits without an expiry/,
      ),
    })
  })

  test('TST-06 prints the test that breaks a policy, writes it with --out, and ends with 1', async () => {
    const broken = ['prove', 'never(ran(pay))', '--options', 'clerk.ts']
    expect(await call(broken, { cwd })).toMatchObject({
      code: 1,
      out: expect.stringContaining("playPolicy(options, 'never(ran(pay))', ["),
    })
    const { code, out } = await call([...broken, '--out', 'pay.test.ts', '--json'], { cwd })
    expect(code).toBe(1)
    expect(readFileSync(join(cwd, 'pay.test.ts'), 'utf8')).toContain("import { options } from './clerk.ts'")
    expect(JSON.parse(out)).toMatchObject({ proofs: [{ verdict: 'broken' }], stranded: [] })
  })

  test('TST-06 ends with 4 if the moves do not suffice', async () => {
    const words = ['prove', 'until(not ran(pay), waited(pay))', '--options', 'clerk.ts', '--limit', '5']
    expect(await call(words, { cwd })).toMatchObject({
      code: 4,
      out: expect.stringContaining('not decided within 5 moves'),
    })
  })

  test("TST-06 proves the agent's own policies if none is given", async () => {
    const own = `permissions: { policies: policies(['never(ran(pay) and not approvedBy(anna))']) }`
    writeFileSync(join(cwd, 'own.ts'), `${tools}export const options = { name: 'clerk', tools: [pay], ${own} }\n`)
    expect(await call(['prove', '--options', 'own.ts'], { cwd })).toMatchObject({
      code: 0,
      out: expect.stringContaining('never(ran(pay) and not approvedBy(anna)): proven'),
    })
  })

  test.each([
    [['never(ran(pay))'], 'This command needs the options of an agent: --options <file>'],
    [['--options', 'clerk.ts'], 'There is no policy to prove'],
    [['never(ran(pya))', '--options', 'clerk.ts'], 'Did you mean "pay"?'],
    [['never(ran(pay)', '--options', 'clerk.ts'], 'expected ")" at the end'],
  ])('TST-06 ends with 2 for %j', async (words, message) => {
    expect(await call(['prove', ...words], { cwd })).toMatchObject({ code: 2, err: expect.stringContaining(message) })
  })
})
