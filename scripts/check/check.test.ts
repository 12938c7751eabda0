import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runSteps } from '../check.ts'
import { figuresLine, readFigures } from './figures.ts'

const node = (name: string, code: string) => ({ name, command: [process.execPath, '-e', code] as const })

describe('the gate', () => {
  test('stops at the first failing step, shows its output and names the steps not run', async () => {
    const lines: string[] = []
    const list = [
      node('first', 'console.log("quiet")'),
      node('second', 'console.log("loud"); process.exit(3)'),
      node('third', 'console.log("quiet")'),
    ]
    const results = await runSteps(list, (line) => lines.push(line), 1)
    expect(results.map(({ name, state }) => [name, state])).toEqual([
      ['first', 'passed'],
      ['second', 'failed'],
      ['third', 'not run'],
    ])
    const text = lines.join('\n')
    expect(text).toContain('loud')
    expect(text).not.toContain('quiet')
    expect(lines.at(-1)).toBe('not run: third')
  })

  test('runs two steps side by side, and an exclusive step alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gate-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = (name: string) => JSON.stringify(join(folder, name))
    const meet = (own: string, other: string) =>
      `const fs = require('fs'); fs.writeFileSync(${file(own)}, ''); while (!fs.existsSync(${file(other)}));`
    const gone = (name: string) => `if (!require('fs').existsSync(${file(name)})) process.exit(1)`
    const write = (name: string) => `require('fs').writeFileSync(${file(name)}, '')`
    const list = [
      node('one', meet('1', '2')),
      node('two', meet('2', '1')),
      { ...node('alone', `${gone('2')}; setTimeout(() => {${write('3')}}, 50)`), isAlone: true as const },
      node('after', gone('3')),
    ]
    const results = await runSteps(list, () => {}, 2)
    expect(results.map(({ name, state }) => [name, state])).toEqual(list.map(({ name }) => [name, 'passed']))
  })

  test('reports with its lint what the compiler would, and types that import one another in a circle', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gate-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const compilerOptions = { strict: true, noEmit: true, types: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    writeFileSync(join(folder, 'wrong.ts'), 'export const text: string = 1\n')
    writeFileSync(join(folder, 'first.ts'), "import type { Two } from './second.ts'\nexport type One = Two\n")
    writeFileSync(join(folder, 'second.ts'), "import type { One } from './first.ts'\nexport type Two = One[]\n")
    writeFileSync(join(folder, 'right.ts'), '// @ts-expect-error It is right.\nexport const one: number = 1\n')
    const lint = [resolve('node_modules/oxlint/bin/oxlint'), '-c', resolve('.oxlintrc.json')]
    const { status, stdout } = spawnSync(process.execPath, lint, { cwd: folder, encoding: 'utf8' })
    expect(status).toBe(1)
    for (const problem of ['TS2578', 'TS2322', 'no-cycle']) expect(stdout).toContain(problem)
  })

  test('fails a step whose program does not exist', async () => {
    const results = await runSteps([{ name: 'gone', command: ['/nowhere/program'] }], () => {})
    expect(results.map(({ state }) => state)).toEqual(['failed'])
  })

  test.each([
    ['all passed', { success: true, numPassedTests: 5, numFailedTests: 0, testResults: [] }, '5 passed, 0 failed'],
    ['one failed', { success: false, numPassedTests: 4, numFailedTests: 1, testResults: [] }, '4 passed, 1 failed'],
    [
      'a file that cannot be loaded',
      {
        success: false,
        numPassedTests: 4,
        numFailedTests: 0,
        testResults: [{ status: 'failed', assertionResults: [] }],
      },
      '4 passed, 1 failed',
    ],
    [
      'an error outside any test',
      { success: false, numPassedTests: 4, numFailedTests: 0, testResults: [] },
      '4 passed, 1 failed',
    ],
  ])('counts %s', (_, report, line) => {
    expect(figuresLine(readFigures(JSON.stringify(report)))).toBe(line)
  })
})
