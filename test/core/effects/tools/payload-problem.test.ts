import { expect, test } from 'vitest'
import type { CallRecord } from '../../../../src/core/domain/call.ts'
import type { Decision } from '../../../../src/core/domain/decision.ts'
import { payloadProblem } from '../../../../src/core/effects/tools/payload-problem.ts'

const call = { callId: '1.a', resumeMode: 'replay' } as CallRecord
const number = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const tool = { name: 'act', description: '', input: number, output: { type: 'string' }, execute: () => 'x' }
const { output: _output, ...silent } = tool

test.each<[Pick<Decision, 'mode' | 'input' | 'result'>, string | undefined]>([
  [{}, undefined],
  [{ input: { n: 1 } }, undefined],
  [{ input: { n: 'x' } }, 'The input does not fit:\n- #'],
  [{ result: 1 }, 'A replayed call takes no "result".'],
  [{ mode: 'use-as-result', result: 'x' }, undefined],
  [{ mode: 'use-as-result', result: 5 }, 'The result does not fit:\n- #'],
  [{ mode: 'use-as-result' }, 'Call "1.a" asks for a result. Give one with "respond".'],
  [{ mode: 'pass-to-tool', result: { n: 1 } }, undefined],
  [{ mode: 'pass-to-tool', result: {} }, 'The result does not fit:\n- #'],
  [{ mode: 'pass-to-tool' }, 'Call "1.a" asks for a value to run with. Give one with "pass".'],
])("DEC-03 reports a decision's payload that does not fit its call: %j", async (decision, problem) => {
  const found = await payloadProblem(call, decision, tool)
  expect(found?.startsWith(problem ?? 'a problem')).toBe(problem === undefined ? undefined : true)
})

test('DEC-03 refuses a value for a hold, and accepts a hold without a value', async () => {
  expect(await payloadProblem({ ...call, isHold: true }, {}, undefined)).toBeUndefined()
  expect(await payloadProblem({ ...call, isHold: true }, { result: 1 }, undefined)).toContain('takes no value')
})

test('DEC-03 accepts any value for a tool that no longer exists or has no output schema', async () => {
  expect(await payloadProblem(call, { input: 1 }, undefined)).toBeUndefined()
  expect(await payloadProblem(call, { mode: 'pass-to-tool', result: 1 }, undefined)).toBeUndefined()
  expect(await payloadProblem(call, { mode: 'use-as-result', result: 5 }, silent)).toBeUndefined()
  expect(await payloadProblem({ ...call, resumeMode: 'pass-to-tool' }, {}, tool)).toContain('asks for a value')
})
