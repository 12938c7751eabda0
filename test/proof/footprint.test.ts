import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import type { EnteredFile } from '../../proof/footprint/count-entered.ts'
import { limits } from '../../proof/footprint/limits.ts'

interface Figures {
  readonly files: number
  readonly functions: number
  readonly entered: readonly EnteredFile[]
}

test('one run of two turns with one tool call enters no more files and functions than are allowed', () => {
  const { status, figures, shown } = footprint()
  const { files, functions, entered } = figures
  expect({ status, files, functions }).toEqual({
    status: 0,
    files: expect.toSatisfy((count: number) => count <= limits.files),
    functions: expect.toSatisfy((count: number) => count <= limits.functions),
  })
  expect([files, functions]).toEqual([entered.length, entered.flatMap((file) => file.functions).length])
  expect(shown.toSorted()).toEqual(entered.map(lineOf).toSorted())
}, 60_000)

test('the count holds what a run does, and neither what was done before it nor what module bodies do', () => {
  const { entered } = footprint().figures
  const facade = entered.find(({ path }) => path === 'src/agent/create-agent.ts')?.functions
  expect(facade).toContain('run')
  expect(facade).not.toContain('createAgent')
  expect(entered.map(({ path }) => path).filter((path) => !/^(src|machines)\//.test(path))).toEqual([])
}, 60_000)

function footprint(): { readonly status: number | null; readonly figures: Figures; readonly shown: readonly string[] } {
  const { status, stdout } = spawnSync(process.execPath, ['proof/footprint.ts', '--list', '--json'], {
    encoding: 'utf8',
  })
  const lines = stdout.trimEnd().split('\n')
  const figures = JSON.parse(lines.at(-1) ?? '') as Figures
  return { status, figures, shown: lines.slice(0, -2) }
}

function lineOf({ path, functions }: EnteredFile): string {
  return `${String(functions.length).padStart(4)} ${path}: ${functions.join(', ')}`
}
