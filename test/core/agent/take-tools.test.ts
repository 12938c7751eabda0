import { expect, test } from 'vitest'
import { refuseAll, takeTools, type ToolGroup } from '../../../src/core/agent/take-tools.ts'
import type { Tool } from '../../../src/core/ports/tool.ts'

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: '',
  input: { type: 'object' },
  execute: () => name,
  ...more,
})

/** The accepted tools, as `tool of owner`, and the refused ones. */
function take(groups: readonly ToolGroup[], before?: readonly ToolGroup[]) {
  const refused: string[] = []
  const told = (problem: Error, { name }: Tool, toolset: string | undefined) =>
    void refused.push(`${name} of ${toolset ?? 'the agent'}: ${problem.message}`)
  const { table, owners } = takeTools(groups, told, before && takeTools(before, refuseAll))
  const taken = [...table.keys()].map((name) => `${name} of ${owners.get(name) ?? 'the agent'}`)
  return { taken, refused }
}

test('TOOL-04 keeps tools in the order of their groups', () => {
  const groups = [{ tools: [tool('b'), tool('a')] }, { toolset: 's', tools: [tool('c')] }]
  expect(take(groups)).toEqual({ taken: ['b of the agent', 'a of the agent', 'c of s'], refused: [] })
})

const name = 'Expected 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-".'

test.each<[readonly ToolGroup[], string]>([
  [[{ tools: [tool('a b')] }], `a b of the agent: Tool name "a b" is refused. ${name}`],
  [
    [{ toolset: 's', tools: [tool('', { sourceName: 'x/y' })] }],
    ` of s: Tool name "", made of "x/y", of toolset "s" is refused. ${name}`,
  ],
  [
    [{ tools: [tool('a', { timeoutMs: -1 })] }],
    'a of the agent: Option timeoutMs of tool "a" is -1, which is refused. Expected a number of 0 or more.',
  ],
  [
    [{ tools: [tool('b', { input: { '~standard': { version: 1, vendor: 'v', validate: () => ({ value: 1 }) } } })] }],
    'b of the agent: The input of tool "b" cannot be shown to a model: The schema of vendor "v" cannot be converted to JSON Schema. Use zod 4 or later, or give a JSON Schema.',
  ],
  [[{ tools: [tool('a'), tool('a')] }], 'a of the agent: Two tools are named "a". Give each tool a unique name.'],
  [
    [{ toolset: 's', tools: [tool('a'), tool('a')] }],
    'a of s: Two tools are named "a", both of toolset "s". Leave one of them out.',
  ],
  [
    [{ tools: [tool('a')] }, { toolset: 's', tools: [tool('a')] }],
    'a of s: Two tools are named "a", one of the agent, one of toolset "s". Give the toolset a prefix, or leave one of them out.',
  ],
  [
    [
      { toolset: 's', tools: [tool('a')] },
      { toolset: 't', tools: [tool('a', { sourceName: 'a.' })] },
    ],
    'a of t: Two tools are named "a" (made of "a" and "a."), one of toolset "s", one of toolset "t". Give the toolset a prefix, or leave one of them out.',
  ],
])('TOOL-01 TOOL-04 refuses tools %# and says why', (groups, problem) => {
  expect(take(groups).refused).toEqual([problem])
  expect(() => takeTools(groups, refuseAll)).toThrow(expect.objectContaining({ name: 'UsageError' }))
})

test('TOOL-04 the first owner of a name keeps it, and the tool is still offered', () => {
  const [one, other] = [
    { toolset: 's', tools: [tool('a')] },
    { toolset: 't', tools: [tool('a')] },
  ]
  expect(take([one, other]).taken).toEqual(['a of s'])
  expect(take([one, other], [other])).toEqual({
    taken: ['a of t'],
    refused: [
      'a of s: Two tools are named "a", one of toolset "t", one of toolset "s". Give the toolset a prefix, or leave one of them out.',
    ],
  })
  expect(take([one], [other]).taken).toEqual(['a of s'])
  expect(take([{ tools: [tool('a')] }, other], [other]).taken).toEqual(['a of t'])
})
