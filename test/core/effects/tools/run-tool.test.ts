import { z } from 'zod'
import { describe, expect, test } from 'vitest'
import type { CallRecord } from '../../../../src/core/domain/call.ts'
import type { AgentEvent } from '../../../../src/core/domain/event.ts'
import type { AgentParts } from '../../../../src/core/effects/agent-parts.ts'
import { runTool } from '../../../../src/core/effects/tools/run-tool.ts'
import type { CancelledEvent, EffectContext } from '../../../../src/core/ports/effect-handler.ts'
import type { Tool, ToolContext, ToolReturn } from '../../../../src/core/ports/tool.ts'

const call: CallRecord = {
  seq: 3,
  callId: '1.a',
  toolCallId: 'a',
  toolName: 'act',
  messageSeq: 2,
  status: 'running',
  revision: 0,
  resumeMode: 'replay',
  editedArguments: { n: 1 },
}
const input = { callId: '1.a', attempt: 2, revision: 4, decisionId: null, effects: 'once' } as const

/** Performs a tool once with a context made by hand. */
async function perform(
  tool: Partial<Tool> | undefined,
  more: { takeovers?: number; record?: CallRecord; abort?: AbortController } = {},
) {
  const { takeovers = 0, record = call, abort = new AbortController() } = more
  const events: AgentEvent[] = []
  const confirmed: boolean[] = []
  let ifCancelled: CancelledEvent | undefined
  let ids = 0
  const context = {
    runId: 'r',
    fence: 7,
    takeovers,
    signal: abort.signal,
    emit: (event: AgentEvent) => void events.push(event),
    ifCancelled: (event: CancelledEvent | undefined) => void (ifCancelled = event),
    clock: { now: () => 9, sleepUntil: async () => {} },
    ids: { next: (prefix: string) => `${prefix}_${++ids}` },
    view: { call: () => record, message: () => undefined, messages: () => [], state: { s: 1 } },
    confirmLease: (isOnce: boolean) => void confirmed.push(isOnce),
    decision: async (decisionId: string) => ({ decisionId }),
  } as unknown as EffectContext
  const whole = tool && { name: 'act', description: '', input: { type: 'object' }, execute: () => 'done', ...tool }
  const table = new Map(whole === undefined ? [] : [['act', whole]])
  const parts = { plugins: [], tools: { inRound: () => table }, retry: { random: () => 0.5 } } as unknown as AgentParts
  const handler = runTool(parts)
  const result = await handler.perform(input, context)
  return { result, events, ifCancelled, confirmed, handler, context }
}

const written = async (tool: Partial<Tool> | undefined, more?: Parameters<typeof perform>[1]) => {
  const { result } = await perform(tool, more)
  const [write] = result.writes ?? []
  return { output: result.output, patch: write?.kind === 'call' ? write.patch : undefined }
}

/** The text of a result, the note on edited arguments left out. */
const textOf = async (tool: Partial<Tool> | undefined) => {
  const { patch } = await written(tool)
  return patch?.result?.content.flatMap((block) => (block.type === 'text' ? block.text : [])).slice(1)
}

describe('a tool that is executed', () => {
  test('TOOL-01 TC-09 passes a tool the run, the call, its attempt number and its key', async () => {
    const given: ToolContext[] = []
    const { events, confirmed } = await perform({ execute: (_, context) => void given.push(context) }, { takeovers: 3 })
    expect(given).toEqual([
      expect.objectContaining({
        runId: 'r',
        callId: '1.a',
        toolName: 'act',
        attempt: 5,
        fence: 7,
        idempotencyKey: 'r:1.a:4',
        state: { s: 1 },
      }),
    ])
    expect(given[0]).not.toHaveProperty('decision')
    expect(confirmed).toEqual([true])
    const head = { runId: 'r', callId: '1.a', toolName: 'act', at: 9 }
    expect(events).toEqual([
      { type: 'toolExecution.started', ...head, arguments: { n: 1 }, attempt: 5 },
      { type: 'toolExecution.ended', ...head, status: 'succeeded', isError: false, result: expect.any(Object) },
    ])
  })

  test('TC-08 passes the attempt number only if earlier attempts ended with their processes', async () => {
    const once = await written({})
    expect(once.output).toEqual({ status: 'succeeded', resultHash: expect.any(String), at: 9 })
    const again = await written({}, { takeovers: 1 })
    expect(again.output).toEqual({ status: 'succeeded', resultHash: expect.any(String), at: 9, attempt: 3 })
  })

  test('RUN-07 emits no end of a cancelled tool, and leaves the event to the cancel', async () => {
    const abort = new AbortController()
    const { events, ifCancelled } = await perform({ execute: () => (abort.abort(), 'done') }, { abort })
    expect(events.map(({ type }) => type)).toEqual(['toolExecution.started'])
    const head = { runId: 'r', callId: '1.a', toolName: 'act' }
    expect(ifCancelled).toEqual({ type: 'toolExecution.ended', ...head, status: 'cancelled', isError: true })
    expect((await perform({})).ifCancelled).toBeUndefined()
  })

  test("EVT-01 emits the result, the run that made it, and the value if it fits the tool's output schema", async () => {
    const output = z.object({ degrees: z.number() })
    const ended = async (tool: Partial<Tool>) => (await perform(tool)).events.at(-1)
    expect(await ended({ output, execute: () => ({ degrees: 7, wind: 3 }) })).toMatchObject({
      isError: false,
      result: { role: 'toolResult', content: [{}, { text: '{"degrees":7,"wind":3}' }] },
      output: { degrees: 7 },
    })
    expect(await ended({ output, execute: () => 'warm' })).not.toHaveProperty('output')
    expect(await ended({ execute: () => ({ degrees: 7 }) })).not.toHaveProperty('output')
    const childRunId = 'child.sub.1'
    expect(await ended({ execute: () => ({ content: [], childRunId }) })).toMatchObject({ childRunId })
    const failed = await ended({ output, execute: () => Promise.reject(new Error('no')) })
    expect(failed).toMatchObject({ status: 'failed', isError: true, result: { isError: true } })
    expect(failed).not.toHaveProperty('output')
  })

  test.each<readonly [title: string, returned: ToolReturn, text: string | undefined]>([
    ['a value that fits', { degrees: 7 }, undefined],
    ['a field of another type', { degrees: 'seven' }, '- degrees: Invalid input'],
    ['a text', 'warm', '- Invalid input'],
    ['nothing', undefined, '- Invalid input'],
    ['a result spelled out', { content: [{ type: 'text', text: 'warm' }] }, '- degrees: Invalid input'],
    ['a failure', { content: [{ type: 'text', text: 'no' }], status: 'error' }, 'no'],
  ])("TOOL-01 checks a tool's return value by its output schema: %s", async (_, returned, text) => {
    const output = z.object({ degrees: z.number() })
    const ended = (await perform({ output, execute: () => returned })).events.at(-1)
    const status = text === undefined ? 'succeeded' : 'failed'
    expect(ended).toMatchObject({ status, isError: text !== undefined })
    expect(JSON.stringify(ended)).toContain(text ?? '"output":{"degrees":7}')
  })

  test("TOOL-01 checks the formats of an output's JSON Schema, unless the tool ignores formats", async () => {
    const output = { type: 'string', format: 'date' }
    const failing = await textOf({ output, execute: () => 'tomorrow' })
    expect(failing).toEqual([expect.stringMatching(/^Tool "act" ran, but .* output schema:\n- #: .*"date"/)])
    expect(await textOf({ output, formats: 'ignored', execute: () => 'tomorrow' })).toEqual(['tomorrow'])
  })

  test('CKP-05 checks the lease in the store only before a call that must not run twice', async () => {
    expect((await perform({ effects: 'none' })).confirmed).toEqual([false])
    expect((await perform({ effects: 'idempotent' })).confirmed).toEqual([false])
    expect((await perform({ effects: 'once' })).confirmed).toEqual([true])
  })

  test('RUN-06 fails with the exception, with the argument errors, or because the tool is missing', async () => {
    const thrown = () => {
      throw new Error('boom')
    }
    expect(await textOf({ execute: thrown })).toEqual(['Tool "act" failed: boom'])
    expect(await textOf(undefined)).toEqual(['Tool "act" is not registered any more.'])
    const [text] = (await textOf({ input: { type: 'string' } })) ?? []
    expect(text).toMatch(/^Invalid arguments for "act":\n- #: /)
    expect((await written({ execute: thrown })).output).toMatchObject({ status: 'failed' })
  })

  test('RUN-11 patches the state on success, with unambiguous paths for keys with slashes', async () => {
    const changes = [{ path: ['a/b', 'c~d'], value: 1 }, { path: ['e'] }]
    const patching = (_: unknown, { patch }: ToolContext) => patch(changes) as undefined
    const { output, patch } = await written({ execute: patching })
    expect(output).toMatchObject({ paths: ['a~1b/c~0d', 'e'] })
    expect(patch).toMatchObject({ patch: changes })
    const failing = await written({
      execute: (given, context) => {
        patching(given, context)
        throw new Error('boom')
      },
    })
    expect(failing.output).not.toHaveProperty('paths')
    expect(failing.patch).not.toHaveProperty('patch')
    const refused = await written({ execute: (_, { patch: ask }) => ask([{ path: ['__proto__'] }]) as undefined })
    expect(refused.output).toMatchObject({ status: 'failed' })
  })
})

describe('a tool that asks', () => {
  test.each<[unknown, object]>([
    [
      {
        status: 'pending',
        content: [
          { type: 'text', text: 'Which' },
          { type: 'text', text: 'day?' },
        ],
      },
      { message: 'Which\nday?' },
    ],
    [{ status: 'pending', content: [] }, {}],
    [{ status: 'pending', content: [{ type: 'image' }, null, { text: 1 }] }, {}],
  ])('TC-03 suspends a call whose tool returns status pending: %#', async (returned, ticket) => {
    const { output, patch } = await written({ execute: () => returned as never })
    expect(output).toMatchObject({ status: 'suspended', suspension: { id: 'sus_1', reason: 'input' }, at: 9 })
    expect(patch).toEqual({ suspension: { id: 'sus_1', reason: 'input', ...ticket } })
  })

  test.each([
    [{ status: 'pending' }],
    [{ status: 'pending', content: 'x' }],
    [{ status: 'success', content: [] }],
    [null],
  ])('TC-03 does not suspend if a tool returns %j', async (returned) => {
    expect((await written({ execute: () => returned as never })).output).toMatchObject({ status: 'succeeded' })
  })

  test("TC-03 suspends with the tool's own ticket, and fails if the ticket is invalid", async () => {
    const asking = await written({ execute: (_, { suspend }) => suspend({ reason: 'service', message: 'm' }) })
    expect(asking.patch).toEqual({ suspension: { id: 'sus_1', reason: 'service', message: 'm' } })
    const odd = await written({ execute: (_, { suspend }) => suspend({ message: 5 as never }) })
    expect(odd.output).toMatchObject({ status: 'failed' })
  })
})

describe('a tool whose process died', () => {
  test('TC-08 suspends a once call as interrupted, with its recorded progress', async () => {
    const record = { ...call, suspension: { id: 'old', reason: 'input', parameters: { p: 1 } } } as const
    const { handler, context } = await perform({}, { record })
    expect(handler.recover?.(input, context)).toEqual({
      output: { status: 'suspended', suspension: { id: 'sus_1', reason: 'interrupted' }, at: 9 },
      writes: [
        {
          kind: 'call',
          callId: '1.a',
          patch: { suspension: { id: 'sus_1', reason: 'interrupted', parameters: { p: 1 } } },
        },
      ],
    })
  })

  test.each(['none', 'idempotent'] as const)('TC-08 runs a call again if its effects are %s', async (effects) => {
    const { handler, context } = await perform({ effects })
    expect(handler.recover?.({ ...input, effects }, context)).toBeUndefined()
  })

  test.each([{ effects: 'once' }, {}] as const)(
    'TC-08 suspends a call if the current code declares %j',
    async (now) => {
      const { handler, context } = await perform(now)
      expect(handler.recover?.({ ...input, effects: 'none' }, context)?.output).toMatchObject({ status: 'suspended' })
    },
  )
})
