import { expect, test } from 'vitest'
import { modelCallMachine, runMachine, toolCallMachine } from '../../machines/index.ts'
import { createAgent } from '../../src/index.ts'
import { scripted } from '../../src/providers/scripted.ts'
import { initialContext as modelCallContext } from '../../machines/model-call/model-call.attempts.ts'
import { initialContext as runContext } from '../../machines/run/run.turn.ts'
import { initialContext as toolCallContext } from '../../machines/tool-call/tool-call.gate.ts'

const runInput = createAgent({ name: 'guide', model: scripted(['Hi']) }).machineInput('Hi')
const contexts = [
  [runMachine, runContext({ input: runInput })],
  [modelCallMachine, modelCallContext({ input: { turn: 1, isFinishing: false, maxRetries: 1, fallbacks: 1 } })],
  [
    toolCallMachine,
    toolCallContext({
      input: {
        callId: '1.a',
        verdict: { kind: 'allowed' },
        effects: 'once',
        resumeMode: 'replay',
        isQueued: false,
        isCallGateWatched: false,
        isReviewWatched: false,
      },
    }),
  ],
] as const

const guards = contexts.flatMap(([machine, context]) =>
  Object.entries(machine.implementations.guards).map(([name, guard]) => ({ chart: machine.id, name, guard, context })),
)

test.each(guards)('TST-02 guard $name of the chart $chart survives an event without its payload', (given) => {
  const { guard, context } = given
  const ask = guard as unknown as (args: object, params: object) => unknown
  expect(() => ask({ context, event: { type: 'nothing' } }, {})).not.toThrow()
})
