import { describe, expect, test } from 'vitest'
import { runSuite } from '../../proof/conformance/run-suite.ts'
import { heldToolset } from '../../proof/support/held-toolset.ts'
import { toolNamed } from '../../proof/support/tools.ts'
import type { Toolset } from '../../src/index.ts'
import { toolsetSuite, type ToolsetUnderTest } from '../../src/testing/index.ts'

/** A toolset in memory that keeps every promise, and what may be changed about it. */
async function sound(change: (toolset: Toolset) => Partial<Toolset> = () => ({})): Promise<ToolsetUnderTest> {
  let isClosed = false
  const tool = (name: string) =>
    toolNamed(name, (_, { signal }) => {
      if (isClosed || signal.aborted) throw new Error('No more.')
      return 'done'
    })
  const held = heldToolset('held', [tool('a')], { closing: async () => void (isClosed = true) })
  const lost = heldToolset('lost', [])
  lost.fail('nobody is there')
  return {
    toolset: { ...held.toolset, ...change(held.toolset) },
    sample: { name: 'a', input: {} },
    unreachable: () => lost.toolset,
    change: async () => held.give(tool('b')),
    dispose: async () => undefined,
  }
}

describe('TOOL-06 toolset suite', () => {
  for (const { name, run } of toolsetSuite(sound))
    test(`TOOL-06 a sound toolset ${name}`, () => expect(run()).resolves.toBeUndefined())

  const faults: readonly [string, string, (toolset: Toolset) => Partial<Toolset>][] = [
    [
      'has names no model takes',
      'gives tools a model can be told of',
      ({ tools }) => ({ tools: async () => (await tools()).map((item) => ({ ...item, name: 'a.b' })) }),
    ],
    ['gives nothing', 'gives tools a model can be told of', () => ({ tools: async () => [] })],
    ['never tells of a change', 'tells whoever listens', () => ({ changed: () => () => {} })],
    ['hears no signal', 'gives up opening when the signal fires', ({ tools }) => ({ tools: () => tools() })],
    ['goes on when it is closed', 'gives nothing after it was closed', () => ({ close: async () => {} })],
    [
      'runs calls nobody waits for',
      'ends a call whose signal has fired',
      ({ tools }) => ({ tools: async () => (await tools()).map((item) => ({ ...item, execute: () => 'done' })) }),
    ],
  ]
  for (const [fault, broken, change] of faults) {
    test(`TOOL-06 notices a toolset that ${fault}`, async () => {
      const lines: string[] = []
      const cases = toolsetSuite(() => sound(change))
      await runSuite({ name: 'toolset', subject: 'broken', cases }, (line) => lines.push(line), 100)
      expect(lines).toContainEqual(expect.stringContaining(`FAILED ${broken}`))
    })
  }
})
