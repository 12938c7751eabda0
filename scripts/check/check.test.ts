import { describe, expect, test } from 'vitest'
import { runSteps } from '../check.ts'
import { figuresLine, readFigures } from './figures.ts'

const node = (name: string, code: string) => ({ name, command: [process.execPath, '-e', code] as const })

describe('the gate', () => {
  test('stops at the first failing step, shows its output and names the steps not run', () => {
    const lines: string[] = []
    const list = [
      node('first', 'console.log("quiet")'),
      node('second', 'console.log("loud"); process.exit(3)'),
      node('third', 'console.log("quiet")'),
    ]
    const results = runSteps(list, (line) => lines.push(line))
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

  test('fails a step whose program does not exist', () => {
    const results = runSteps([{ name: 'gone', command: ['/nowhere/program'] }], () => {})
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
