import { expect, test } from 'vitest'
import type { Verdict } from '../../../../src/core/domain/call-plan.ts'
import type { Grant } from '../../../../src/core/domain/grant.ts'
import { parseRule } from '../../../../src/core/domain/permission-rule.ts'
import { definitionHash } from '../../../../src/core/effects/permissions/definition-hash.ts'
import { type JudgedCall, judgeCall, type JudgeParts } from '../../../../src/core/effects/permissions/judge-call.ts'
import type { Tool } from '../../../../src/core/ports/tool.ts'

const context = {
  ids: { next: (prefix: string) => `${prefix}_1` },
  clock: { now: () => 0, sleepUntil: () => Promise.resolve() },
  signal: new AbortController().signal,
  run: { subject: 'talk-7' },
}

const input = { type: 'object', properties: { n: { type: 'number' } } } as const
const tool: Tool = { name: 'act', description: '', input, needs: 'approval', execute: () => 'done' }
const parts: JudgeParts = { name: 'a', tools: new Map([['act', tool]]), pluginTimeoutMs: Infinity }
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
])('TC-02 reports %s before anything of lower rank', async (_, changes, source, text) => {
  const judged = await judgeCall(parts, { ...call, ...changes }, context)
  expect(judged.source).toBe(source)
  expect(judged.verdict).toMatchObject({ kind: 'refused', text: expect.stringContaining(text) })
})

test("TC-02 a tool's needs ask, a plugin words the question, and without either the call is allowed", async () => {
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

const ruling = {
  ...parts,
  permissions: { rules: [parseRule('ask', 'act(n = 1)')] },
}
const made: Grant = {
  id: 'g',
  agent: 'a',
  grantee: 'run:r',
  scope: 'run',
  says: 'allow',
  toolName: 'act',
  definition: definitionHash(tool),
  runId: 'r',
  callId: 'c',
  at: 0,
}
const granting = (...grants: readonly Grant[]) => ({
  ...context,
  grants: { of: async () => grants, use: async () => true },
})

test('PERM-05 a rule of the current code asks about an already planned call, but not about one that a person answered', async () => {
  const planned: JudgedCall = { ...call, standing: { kind: 'allowed' } }
  expect(await judgeCall(ruling, planned, context)).toMatchObject({
    source: 'rule',
    verdict: { kind: 'suspended' },
    question: { rule: 'act(n = 1)' },
  })
  expect(await judgeCall(ruling, { ...planned, isAnswered: true }, context)).toMatchObject({ source: 'earlier' })
  expect(await judgeCall(ruling, { ...planned, arguments: { n: 2 } }, context)).toMatchObject({ source: 'earlier' })
})

test('PERM-04 a grant answers the question of a rule or of the needs, and is checked again before the call', async () => {
  const needed = granting(made)
  expect(await judgeCall(parts, call, needed)).toMatchObject({
    source: 'grant',
    verdict: { kind: 'allowed', isGranted: true },
    grants: [{ id: 'g' }],
  })
  expect(await judgeCall(ruling, call, needed)).toMatchObject({ source: 'rule', verdict: { kind: 'suspended' } })
  const ruled = granting({ ...made, rule: 'act(n = 1)' })
  expect(await judgeCall(ruling, call, ruled)).toMatchObject({ source: 'grant', verdict: { kind: 'allowed' } })
  const planned: JudgedCall = { ...call, standing: { kind: 'allowed', isGranted: true } }
  expect(await judgeCall(parts, planned, needed)).toMatchObject({ source: 'grant', grants: [{ id: 'g' }] })
  expect(await judgeCall(parts, planned, granting())).toMatchObject({ source: 'tool', verdict: { kind: 'suspended' } })
  expect(await judgeCall(parts, { ...call, says: { suspend: asks } }, needed)).toMatchObject({ source: 'plugin' })
  const denial = granting({ ...made, says: 'deny' })
  expect(await judgeCall(parts, call, denial)).toMatchObject({ source: 'grant', verdict: { kind: 'refused' } })
})
