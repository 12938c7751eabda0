import { expect, test } from 'vitest'
import { createActor, createMachine, toPromise } from 'xstate'
import { testAgent } from '../../../proof/support/test-agent.ts'

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }
const answer = { seq: 2, calls: [], dropped: [], usage, cost: 0, at: 1 }
const odd: readonly (readonly [string, unknown, string])[] = [
  ['nothing', undefined, 'a value of type undefined'],
  ['a text', 'Hello.', '"Hello."'],
  ['another status', { status: 'done' }, '{"status":"done"}'],
  ['no answer', { status: 'answered' }, '{"status":"answered"}'],
  ['an answer without usage', { status: 'answered', answer: { ...answer, usage: undefined } }, '"seq":2'],
  ['calls that are none', { status: 'answered', answer: { ...answer, calls: ['act'] } }, '"calls":["act"]'],
  ['a failure without an error', { status: 'failed' }, '{"status":"failed"}'],
  ['what is not JSON', { status: 1n }, 'a value of type object that is not JSON'],
]

test.each(odd)(
  'RUN-09 ends the run with a clear message if a machine provided as modelCall returns %s',
  async (_, output, shown) => {
    const { agent } = testAgent({})
    const modelCall = createMachine({ initial: 'done', states: { done: { type: 'final' } }, output: () => output })
    const machine = agent.machine.provide({ actors: { modelCall: modelCall as never } })
    const { outcome } = await toPromise(createActor(machine, { input: 'Hi' }).start())
    expect(outcome).toEqual({
      reason: 'error',
      error: {
        code: 'engine_error',
        message: expect.stringContaining('The machine provided as "modelCall" returned '),
      },
    })
    expect(outcome.error?.message).toContain(shown)
    expect(outcome.error?.message).toContain("Expected { status: 'answered', answer }")
  },
)
