import { expect, test } from 'vitest'
import type { Verdict } from '../../src/domain/call-plan.ts'
import { type JudgedCall, judgeCall, type JudgeParts } from '../../src/effects/judge-call.ts'
import type { Tool } from '../../src/ports/tool.ts'

const context = {
  ids: { next: (prefix: string) => `${prefix}_1` },
  clock: { now: () => 0, sleepUntil: () => Promise.resolve() },
  signal: new AbortController().signal,
}

const input = { type: 'object', properties: { n: { type: 'number' } } } as const
const tool: Tool = { name: 'act', description: '', input, needs: 'approval', execute: () => 'done' }
const parts: JudgeParts = { tools: new Map([['act', tool]]), hookTimeoutMs: Infinity }
const call: JudgedCall = { name: 'act', arguments: { n: 1 }, tool }
const refused: Verdict = { kind: 'refused', text: 'refused before' }
const said = (text: string) => () => ({ verdict: { kind: 'refused', text } as const, writes: [] })
const asks = () => ({ verdict: { kind: 'suspended', suspension: { id: 's', reason: 'plugin' } } as const, writes: [] })

test.each<[string, Partial<JudgedCall>, string, string]>([
  ['a block', { says: { block: said('b'), result: said('r') }, standing: refused }, 'plugin', 'b'],
  ['a result of a plugin', { says: { result: said('r') }, tool: undefined, truncated: true }, 'plugin', 'r'],
  ['a cut answer', { truncated: true, tool: undefined }, 'answer', '[Not executed: the answer was cut off'],
  ['an unknown tool', { tool: undefined, malformed: 'x' }, 'registry', 'Tool "act" does not exist.'],
  ['unreadable arguments', { malformed: 'x', arguments: {} }, 'arguments', 'could not be read: x'],
  ['bad arguments', { arguments: { n: 'no' } }, 'arguments', 'Invalid arguments for "act"'],
  ['an earlier refusal', { standing: refused, says: { suspend: asks } }, 'earlier', 'refused before'],
])('TC-02 %s is said before what comes after it', async (_, changes, source, text) => {
  const judged = await judgeCall(parts, { ...call, ...changes }, context)
  expect(judged.source).toBe(source)
  expect(judged.verdict).toMatchObject({ kind: 'refused', text: expect.stringContaining(text) })
})

test('TC-02 the needs of a tool ask, a plugin words the question, and nothing at all allows', async () => {
  expect(await judgeCall(parts, call, context)).toEqual({
    source: 'tool',
    verdict: { kind: 'suspended', suspension: { id: 'sus_1', reason: 'approval' } },
    writes: [],
  })
  expect((await judgeCall(parts, { ...call, says: { suspend: asks } }, context)).source).toBe('plugin')
  expect(await judgeCall(parts, { ...call, standing: { kind: 'allowed' } }, context)).toMatchObject({
    verdict: { kind: 'allowed' },
  })
  const { needs: _, ...free } = tool
  expect(await judgeCall(parts, { ...call, tool: free }, context)).toMatchObject({ source: 'nobody' })
})
