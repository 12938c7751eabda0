import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { testAgent, type TestAgentOptions } from '../../../proof/support/test-agent.ts'
import type { RunTrace } from '../../../src/ports.ts'
import { tool, type Tracer } from '../../../src/index.ts'
import type { TracedEffect, TracedRun } from '../../../src/core/ports/tracer.ts'
import { traceEffect } from '../../../src/core/runtime/trace-run.ts'
import { runAll } from '../../../src/core/workers/worker.ts'

const called = { toolCalls: [{ name: 'note', arguments: {} }] }

/** Runs an agent whose tool runs once, and gives what nobody has caught. */
async function uncaughtOf(options: TestAgentOptions): Promise<{ uncaught: unknown[]; ran: number; reason: string }> {
  const uncaught: unknown[] = []
  const catching = (error: unknown) => void uncaught.push(error)
  process.on('unhandledRejection', catching)
  try {
    let ran = 0
    const note = tool({
      name: 'note',
      description: '',
      input: z.object({}),
      execute: () => String(++ran),
    })
    const { agent } = testAgent({ replies: [called, 'Done'], tools: [note], ...options })
    const { outcome } = await agent.run('Hi')
    await setImmediate()
    return { uncaught, ran, reason: outcome.reason }
  } finally {
    process.off('unhandledRejection', catching)
  }
}

const fails = (): unknown => Promise.reject(new Error('late'))
const untouched = { uncaught: [], ran: 1, reason: 'natural_end' }

test('EVT-04 an inspector that returns a rejected promise keeps inspecting, and the process continues', async () => {
  let seen = 0
  const inspect = (): unknown => {
    seen++
    return fails()
  }
  expect(await uncaughtOf({ inspect })).toEqual(untouched)
  expect(seen).toBeGreaterThan(1)
})

test("EVT-04 a batch's progress listener that returns a rejected promise stops no run", async () => {
  const uncaught: unknown[] = []
  const catching = (error: unknown) => void uncaught.push(error)
  process.on('unhandledRejection', catching)
  const { agent } = testAgent({ replies: ['Done'] })
  const done = await runAll(agent, [{ id: 'a', prompt: 'Hi' }], { onProgress: fails })
  await setImmediate()
  process.off('unhandledRejection', catching)
  expect({ done: done.length, uncaught }).toEqual({ done: 1, uncaught: [] })
})

test('EVT-04 CTX-01 uses the estimate if a token counter returns a promise, and ignores its rejection', async () => {
  const countTokens = fails as unknown as (text: string) => number
  expect(await uncaughtOf({ compaction: { countTokens } })).toEqual(untouched)
})

test('EVT-04 PRV-01 ends the run in an error if a model returns a promise instead of a stream, and ignores its rejection', async () => {
  const stream = fails as unknown as () => AsyncIterable<never>
  const { uncaught, reason } = await uncaughtOf({ model: { provider: 'x', id: 'y', stream } })
  expect({ uncaught, reason }).toEqual({ uncaught: [], reason: 'error' })
})

const throws = (): never => {
  throw new Error('No trace')
}

/** A tracer of which one part is another. */
function tracerWith(part: object, ofRun: Partial<RunTrace> = {}): Tracer {
  const effect = { within: <T>(perform: () => T): T => perform(), end: () => {} }
  return { open: () => ({ performing: () => ({ ...effect, ...part }), end: () => {}, ...ofRun }) }
}

test.each<readonly [string, Tracer]>([
  ['throws before it', tracerWith({ within: throws })],
  ['throws behind it', tracerWith({ within: (perform: () => unknown) => [perform(), throws()] })],
  ['leaves it out', tracerWith({ within: () => undefined })],
  ['does it twice', tracerWith({ within: (perform: () => unknown) => perform() && perform() })],
  ['cannot surround it', tracerWith({ within: undefined })],
  ['promises what is rejected', tracerWith({ within: fails, end: fails }, { end: fails })],
])('OBS-01 a tracer that wraps an effect and %s changes no run', async (_, tracer) => {
  expect(await uncaughtOf({ tracer })).toEqual(untouched)
})

test('OBS-01 performs the work that a tracer wraps once, even if the work throws at once', () => {
  let count = 0
  const perform = () => {
    count++
    throw new Error('Not done')
  }
  const trace = tracerWith({}).open({ runId: 'r', agent: 'a' } as TracedRun)
  const effect = { src: 'runTool', input: {} } as TracedEffect
  const traced = trace && traceEffect(trace, effect, [])
  expect(() => traced?.within(perform)).toThrow('Not done')
  expect(count).toBe(1)
})
