import { expect, test } from 'vitest'
import type { EnteredFile } from '../../proof/footprint/count-entered.ts'
import { limits } from '../../proof/footprint/limits.ts'
import { runScript } from '../../proof/support/run-script.ts'

interface Figures {
  readonly files: number
  readonly functions: number
  readonly entered: readonly EnteredFile[]
}

test('one run of two turns with one tool call enters no more files and functions than are allowed', () => {
  const { status, figures, lines } = runScript('footprint', ['--list'])
  const { files, functions, entered } = figures as Figures
  expect({ status, files, functions }).toEqual({
    status: 0,
    files: expect.toSatisfy((count: number) => count <= limits.files),
    functions: expect.toSatisfy((count: number) => count <= limits.functions),
  })
  expect([files, functions]).toEqual([entered.length, entered.flatMap((file) => file.functions).length])
  expect(lines.slice(0, -1).toSorted()).toEqual(entered.map(lineOf).toSorted())
}, 60_000)

test('the count holds what a run does, and neither what was done before it nor what module bodies do', () => {
  const { entered } = runScript('footprint').figures as Figures
  const facade = entered.find(({ path }) => path === 'src/agent/create-agent.ts')?.functions
  expect(facade).toContain('run')
  expect(facade).not.toContain('createAgent')
  expect(entered.map(({ path }) => path).filter((path) => !/^(src|machines)\//.test(path))).toEqual([])
}, 60_000)

function lineOf({ path, functions }: EnteredFile): string {
  return `${String(functions.length).padStart(4)} ${path}: ${functions.join(', ')}`
}
