import { describe, expect, test } from 'vitest'
import type { AssistantMessage, ToolCallContent } from '../../../../src/core/domain/message.ts'
import { noUsage } from '../../../../src/core/domain/usage.ts'
import { planCalls } from '../../../../src/core/effects/permissions/plan-calls.ts'
import type { Tool } from '../../../../src/core/ports/tool.ts'
import { fakeClock } from '../../../../proof/support/fake-clock.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import { unstoredDetails } from '../../../../src/core/domain/run-details.ts'

const tool = (more: Partial<Tool> = {}): Tool => ({
  name: 'act',
  description: '',
  input: { type: 'object' },
  execute: () => 'done',
  ...more,
})
const call = (id: string, name = 'act', more: Partial<ToolCallContent> = {}): ToolCallContent => ({
  type: 'toolCall',
  id,
  name,
  arguments: {},
  ...more,
})

interface Given {
  readonly tools?: Readonly<Record<string, Tool>>
  readonly most?: number
  readonly isFinishing?: boolean
  readonly isBound?: boolean
}

function plan(content: AssistantMessage['content'], given: Given = {}) {
  const { tools = { act: tool() }, most = 128, isFinishing = false, isBound = false } = given
  const answer: AssistantMessage = {
    role: 'assistant',
    content,
    stopReason: 'toolUse',
    model: 'm',
    provider: 'p',
    usage: noUsage,
    timestamp: 1,
  }
  let ids = 0
  const models = [{ ...scripted([]), bindsCallsToReasoning: isBound }]
  const table = new Map(Object.entries(tools))
  const parts = { name: 'guide', models, maxCallsPerTurn: most, pluginTimeoutMs: Infinity, tools: table }
  const { signal } = new AbortController()
  const context = {
    ids: { next: (prefix: string) => `${prefix}_${++ids}` },
    clock: fakeClock(),
    signal,
    run: unstoredDetails('r'),
  }
  return planCalls(parts, { turn: 3, isFinishing, modelIndex: 0 }, answer, context)
}

const verdicts = async (...args: Parameters<typeof plan>) => (await plan(...args)).plans.map(({ verdict }) => verdict)

describe('the calls of an answer', () => {
  test('TC-02 names calls by turn and provider id, even if ids repeat, and plans them as their tools declare', async () => {
    const careful = tool({ effects: 'idempotent', resume: 'use-as-result', concurrency: 'exclusive' })
    const planned = await plan([{ type: 'text', text: 'Hi' }, call('a', 'careful'), call('a'), call('a')], {
      tools: { careful, act: tool() },
    })
    const ids = planned.plans.map(({ callId }) => callId)
    expect(ids[0]).toBe('3.a')
    expect(new Set(ids).size).toBe(3)
    expect(planned.message.content[0]).toEqual({ type: 'text', text: 'Hi' })
    expect(planned.plans[0]).toEqual({
      callId: '3.a',
      verdict: { kind: 'allowed' },
      effects: 'idempotent',
      resumeMode: 'use-as-result',
      isExclusive: true,
      blocksRun: true,
      callHash: expect.stringMatching(/^[0-9a-f]{14}$/),
    })
    expect(planned.plans[1]).toMatchObject({ effects: 'once', resumeMode: 'replay', isExclusive: false })
    expect(planned.records[0]).toEqual({
      callId: '3.a',
      toolCallId: 'a',
      toolName: 'careful',
      revision: 0,
      resumeMode: 'use-as-result',
    })
    expect(planned).toMatchObject({ isAsking: false, dropped: [] })
  })

  test('AGT-17 calls have equal hashes only if their names and arguments are equal', async () => {
    const tools = { act: tool(), other: tool() }
    const one = call('a', 'act', { arguments: { x: 1, y: 2 } })
    const same = call('b', 'act', { arguments: { y: 2, x: 1 } })
    const { plans } = await plan([one, same, call('c'), { ...one, id: 'd', name: 'other' }], { tools })
    const [first, second, ...others] = plans.map(({ callHash }) => callHash)
    expect(second).toBe(first)
    expect(new Set([first, ...others]).size).toBe(3)
  })

  test('AGT-11 leaves other calls out of the answer that finishes a run', async () => {
    const planned = await plan([{ type: 'text', text: 'Hi' }, call('a')], { isFinishing: true })
    expect(planned.message.content).toEqual([{ type: 'text', text: 'Hi' }])
    expect([planned.plans, planned.records]).toEqual([[], []])
  })

  test('TC-05 answers calls beyond the maximum without running them', async () => {
    const text = '[Not executed: an answer may hold at most 2 calls.]'
    const { plans, unrun } = await plan([call('a'), call('b'), call('c')], { most: 2 })
    expect(plans.map(({ verdict }) => verdict)).toEqual([{ kind: 'allowed' }, { kind: 'allowed' }])
    expect(unrun).toEqual([{ callId: '3.c', text }])
  })
})

describe('priority', () => {
  const tools = { low: tool({ concurrency: 'exclusive', needs: 'approval' }), high: tool({ priority: 1 }), act: tool() }
  const content = [call('a', 'low'), call('b', 'high'), call('c', 'high'), call('d', 'gone')]

  test('AGT-15 keeps the calls with the highest priority in the answer, and calls of unknown tools', async () => {
    const planned = await plan(content, { tools })
    expect(planned.message.content).toMatchObject([{ id: 'b' }, { id: 'c' }, { id: 'd' }])
    expect(planned).toMatchObject({ dropped: ['low'], isAsking: false })
  })

  test('AGT-15 answers the others without running them on a wire that binds calls to reasoning, and they delay nothing', async () => {
    const text = '[Not executed: a call of higher priority came first. Ask again if still needed.]'
    const planned = await plan(content, { tools, isBound: true })
    expect(planned).toMatchObject({ dropped: [], isAsking: false })
    expect(planned.plans[0]).toMatchObject({ verdict: { kind: 'skipped', text }, isExclusive: false })
    expect(planned.plans[1]).toMatchObject({ verdict: { kind: 'allowed' } })
  })

  test('AGT-15 a tool without a priority has priority 0', async () => {
    const below = { below: tool({ priority: -1 }), act: tool() }
    expect(await plan([call('a', 'below'), call('b')], { tools: below })).toMatchObject({ dropped: ['below'] })
    expect(await plan([call('b'), call('c', 'act')], { tools: below })).toMatchObject({ dropped: [] })
  })
})

describe('a call that cannot run', () => {
  const known = { act: tool({ input: { type: 'string' }, needs: 'approval' }), other: tool() }

  test.each<[ToolCallContent, unknown, string?]>([
    [call('a', 'act', { truncated: true }), '[Not executed: the answer was cut off at the token limit.]'],
    [call('a', 'gone'), 'Tool "gone" does not exist. Available tools: act, other.', 'unknown_tool'],
    [
      call('a', 'act', { malformed: 'bad JSON' }),
      'The arguments for "act" could not be read: bad JSON',
      'bad_arguments',
    ],
    [call('a'), expect.stringMatching(/^Invalid arguments for "act":\n- #: /), 'bad_arguments'],
  ])('TC-02 TC-07 refuses an invalid call before anybody is asked: %#', async (given, text, code) => {
    expect(await verdicts([given], { tools: known })).toEqual([{ kind: 'refused', text, ...(code && { code }) }])
  })

  test('TC-07 tells the model if there are no tools', async () => {
    const text = 'Tool "act" does not exist. Available tools: none.'
    expect(await verdicts([call('a')], { tools: {} })).toEqual([{ kind: 'refused', text, code: 'unknown_tool' }])
  })
})

describe('approval', () => {
  const asked = { kind: 'suspended', suspension: { id: 'sus_1', reason: 'approval' } }
  const rule = (needs: Tool['needs']) => ({ tools: { act: tool(needs === undefined ? {} : { needs }) } })

  test.each<[string, Tool['needs'], boolean]>([
    ['no rule', undefined, false],
    ['approval', 'approval', true],
    ['a rule that says no', () => false, false],
    ['a rule that says yes', () => true, true],
    ['a rule that says approval', async () => 'approval' as const, true],
    ['a rule that says nothing', (() => undefined) as never, true],
    [
      'a rule that throws',
      () => {
        throw new Error('boom')
      },
      true,
    ],
  ])('PERM-05 asks because of %s: %#', async (_, needs, isAsked) => {
    const planned = await plan([call('a')], rule(needs))
    expect(planned.plans[0]?.verdict).toEqual(isAsked ? asked : { kind: 'allowed' })
    expect(planned.isAsking).toBe(isAsked)
  })

  test('PERM-05 checks a rule against the value that the schema returns', async () => {
    const given: unknown[] = []
    await plan(
      [call('a', 'act', { arguments: { n: 1 } })],
      rule((input: unknown) => Boolean(given.push(input))),
    )
    expect(given).toEqual([{ n: 1 }])
  })
})
