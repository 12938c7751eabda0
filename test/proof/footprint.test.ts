import { expect, test } from 'vitest'
import type { CopyingFunction, EnteredFile, Footprint } from '../../proof/footprint/count-footprint.ts'
import { type FootprintLimit, limits } from '../../proof/footprint/limits.ts'
import { limitProblems } from '../../proof/support/limit-facts.ts'
import { runScript } from '../../proof/support/run-script.ts'

const atMost = ({ limit }: { readonly limit: number }): unknown => expect.toSatisfy((count: number) => count <= limit)

test('a run of two turns and a steady turn enter, execute and copy no more than is allowed', () => {
  const { status, figures, lines } = runScript('footprint', ['--list'])
  const { files, functions, entered, ours, steadyTurn } = figures as Footprint
  expect(
    lines.filter((line) => /^core {3}lines of the core and the charts +[1-9]\d* {2}aim 33000$/.test(line)),
  ).toHaveLength(1)
  expect({ status, functions, ours }).toEqual({
    status: 0,
    functions: atMost(limits.all.functions),
    ours: {
      files: atMost(limits.ours.files),
      functions: atMost(limits.ours.functions),
      lines: atMost(limits.ours.lines),
    },
  })
  expect(steadyTurn).toMatchObject({
    functions: atMost(limits.steadyTurn.functions),
    calls: atMost(limits.steadyTurn.calls),
    copyingCalls: atMost(limits.steadyTurn.copyingCalls),
  })
  expect([files, functions]).toEqual([entered.length, functionsIn(entered).length])
  expect(steadyTurn.functions).toBe(functionsIn(steadyTurn.entered).length)
  const listed = [...entered.map(lineOf), ...steadyTurn.entered.map(lineOf), ...steadyTurn.copying.map(copyingLineOf)]
  expect(lines.filter((line) => /^ *\d+ /.test(line)).toSorted()).toEqual(listed.toSorted())
}, 60_000)

test('no limit is too far from the measured figure that it names', () => {
  const rows = Object.values(limits).flatMap((group) => Object.values<FootprintLimit>(group))
  expect(limitProblems(rows.map((row) => ({ ...row, isCount: true })))).toEqual([])
})

test("the count includes a run's work, with XState, but neither earlier work nor module bodies", () => {
  const { entered, steadyTurn } = runScript('footprint').figures as Footprint
  const facade = entered.find(({ path }) => path === 'src/core/agent/create-agent.ts')?.functions
  expect(facade).toContain('run')
  expect(facade).not.toContain('createAgent')
  expect(steadyTurn.entered.find(({ path }) => path === 'src/core/agent/create-agent.ts')).toBeUndefined()
  const others = entered.map(({ path }) => path).filter((path) => !/^(src|machines)\//.test(path))
  expect(others.filter((path) => !path.startsWith('node_modules/xstate/dist/'))).toEqual([])
}, 60_000)

test('counts a turn in the middle of a run the same each time', () => {
  const [first, second] = [0, 1].map(() => (runScript('footprint').figures as Footprint).steadyTurn)
  expect(second).toEqual(first)
}, 60_000)

function functionsIn(files: readonly EnteredFile[]): readonly string[] {
  return files.flatMap(({ functions }) => functions)
}

function lineOf({ path, functions }: EnteredFile): string {
  return `${String(functions.length).padStart(4)} ${path}: ${functions.join(', ')}`
}

function copyingLineOf({ path, name, calls }: CopyingFunction): string {
  return `${String(calls).padStart(4)} ${path}: ${name}`
}
