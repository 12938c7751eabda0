import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../proof/support/temporary-folder.ts'
import { agentModule } from './agent-modules.ts'
import { call } from './command.ts'

const source = resolve('src')
const clerk = `import { tool } from '${source}/index.ts'
const stamp = tool({ name: 'stamp', description: 'Stamps', input: { type: 'object' }, needs: 'approval', execute: () => '' })
`
const optionsModule = `${clerk}export const options = { name: 'clerk', tools: [stamp] }\n`

/** Node reads the sources itself, as in this project's own tests: one thread loads them once. */
const vitestConfig = `export default {
  test: { pool: 'threads', isolate: false, maxWorkers: 1, testTimeout: 60_000, experimental: { viteModuleRunner: false, nodeLoader: false } },
}`

describe('TST-05 statewright record', () => {
  let cwd: string
  let runId: string

  beforeEach(async () => {
    cwd = await temporaryFolder()
    const module = await agentModule(cwd, 'given a store')
    const started = await call(['run', 'Stamp it for Ada.', '--agents', module, '--json'], { cwd })
    runId = (JSON.parse(started.out) as { readonly run: { readonly id: string } }).run.id
    await call(['approve', 'last', '1.c1', '--agents', module], { cwd })
    writeFileSync(join(cwd, 'clerk.ts'), optionsModule)
  })

  test('TST-05 writes a test that Vitest runs, which fails once the agent no longer asks', async () => {
    const written = await call(['record', runId, '--options', 'clerk.ts', '--out', 'run.test.ts'], { cwd })
    expect(written).toMatchObject({ code: 0, out: expect.stringContaining('Hidden: answers') })
    const text = readFileSync(join(cwd, 'run.test.ts'), 'utf8')
    expect(text).not.toContain('Ada')
    const runnable = text.replace("'statewright/testing'", `'${source}/testing/index.ts'`)
    writeFileSync(join(cwd, 'run.test.ts'), runnable)
    writeFileSync(join(cwd, 'unasked.test.ts'), runnable.replace("'./clerk.ts'", "'./unasked.ts'"))
    writeFileSync(join(cwd, 'unasked.ts'), optionsModule.replace("needs: 'approval', ", ''))
    writeFileSync(join(cwd, 'vitest.config.mjs'), vitestConfig)
    symlinkSync(resolve('node_modules'), join(cwd, 'node_modules'))
    const vitest = promisify(execFile)(process.execPath, [resolve('node_modules/vitest/vitest.mjs'), 'run'], { cwd })
    const { stdout, stderr } = await vitest.catch(
      (error: { readonly stdout: string; readonly stderr: string }) => error,
    )
    const said = stripVTControlCharacters(stdout + stderr)
    expect(said).toContain('1 failed | 1 passed')
    expect(said).toMatch(/FAIL {2}unasked\.test\.ts[^]*Call "1\.c1" was not asked about as often as recorded\./)
    rmSync(join(cwd, 'node_modules'))
  })

  test('TST-05 prints the file without --out, and one object with --json', async () => {
    const printed = await call(['record', runId, '--options', 'clerk.ts', '--allow', 'prompt, answers'], { cwd })
    expect(printed.out).toContain("import { options } from './clerk.ts'")
    expect(printed.out).toContain("prompt: 'Stamp it for Ada.'")
    const { code, out } = await call(['record', runId, '--options', 'clerk.ts', '--json'], { cwd })
    const report = JSON.parse(out) as { readonly hidden: readonly string[]; readonly text: string }
    expect(code).toBe(0)
    expect(report.hidden).toEqual(['answers', 'results.stamp', 'decisions', 'prompt'])
  })

  test('TST-05 reports what is missing, and does not overwrite a file', async () => {
    writeFileSync(join(cwd, 'run.test.ts'), 'mine')
    writeFileSync(join(cwd, 'none.ts'), 'export const other = 1')
    for (const [words, message] of [
      [[], 'This command needs the options of an agent: --options <file>'],
      [['--options', 'nowhere.ts'], 'There is no module "nowhere.ts"'],
      [['--options', 'none.ts'], 'exports no "options"'],
      [['--options', 'clerk.ts', '--out', 'run.test.ts'], 'The test cannot be written'],
    ] as const) {
      const { code, err } = await call(['record', runId, ...words], { cwd })
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
    }
    expect(readFileSync(join(cwd, 'run.test.ts'), 'utf8')).toBe('mine')
    expect(existsSync(join(cwd, 'clerk.ts'))).toBe(true)
  })
  test('OBS-04 coverage counts transitions, and names a run for each that no generated test takes', async () => {
    const all = await call(['coverage', '--options', 'clerk.ts'], { cwd })
    expect(all).toMatchObject({ code: 0, out: expect.stringMatching(/Of \d+ transitions, \d+ were taken by 1 runs/) })
    writeFileSync(join(cwd, 'less.ts'), optionsModule.replace('tools: [stamp]', 'tools: [stamp], turns: []'))
    const less = await call(['coverage', '--options', 'less.ts'], { cwd })
    expect(less.out).toContain(`: statewright record ${runId}`)
    const made = await call(['coverage', '--options', 'less.ts', '--out', 'recorded', '--json'], { cwd })
    const file = join('recorded', `${runId}.test.ts`)
    expect(JSON.parse(made.out)).toMatchObject({ written: [file], notRecorded: [] })
    expect(readFileSync(join(cwd, file), 'utf8')).toContain("import { options } from '../less.ts'")
    const again = await call(['coverage', '--options', 'less.ts', '--out', 'recorded'], { cwd })
    expect(again.out).toContain(`0 tests written to recorded.\n  ${runId} is not recorded: The test cannot be written`)
    const { code, out } = await call(['coverage', '--options', 'clerk.ts', '--json'], { cwd })
    expect({ code, report: JSON.parse(out) }).toMatchObject({ code: 0, report: { runs: 1, left: [] } })
    expect(await call(['coverage'], { cwd })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--options <file>'),
    })
  })

  test('TST-07 diff lists the runs that other options would ask about, and ends with 1', async () => {
    const alike = await call(['diff', '--options', 'clerk.ts'], { cwd })
    expect(alike).toMatchObject({ code: 0, out: expect.stringContaining('Of 1 runs, 0 would now ask') })
    writeFileSync(join(cwd, 'new.ts'), optionsModule.replace("needs: 'approval', ", ''))
    const { code, out } = await call(['diff', '--options', 'new.ts'], { cwd })
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringContaining(`${runId}: would no longer ask about stamp (1.c1)`),
    })
    const json = await call(['diff', '--options', 'new.ts', '--from', 'new.ts', '--json'], { cwd })
    expect(JSON.parse(json.out)).toMatchObject({ runs: 1, found: [], left: [] })
    expect(await call(['diff'], { cwd })).toMatchObject({ code: 2, err: expect.stringContaining('--options <file>') })
  })
})
