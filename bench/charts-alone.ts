import type { RunInput } from '../machines/run/run.types.ts'
import { runCharts } from '../src/core/driving/run-charts.ts'
import { startWatch } from './stopwatch.ts'
import { Stepper } from '../src/core/runtime/stepper.ts'

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }

const input: RunInput = {
  options: {
    executor: { batchSize: null, stopsOnSuspension: false },
    onPartialSuspension: 'continue',
    decisions: 'immediate',
    limits: [],
    repeatLimit: 3,
    stopsOnRepeat: false,
    maxRetries: 3,
    fallbacks: 0,
    queueModes: { steer: 'one', followUp: 'one' },
    onModelFailure: 'end',
    outputRetries: 3,
    watched: [],
  },
  messages: [],
}

/** Microseconds a turn of the charts alone: the same states, but nothing performed, logged, written down or told. */
export async function chartsAlone(turns: number): Promise<number> {
  const read = startWatch('processor')
  let keys = 0
  const stepper = new Stepper({
    charts: runCharts,
    input,
    keyFor: () => `effect ${keys++}`,
    told: { record: () => {}, announce: () => {}, checkpoint: () => {} },
  })
  stepper.start()
  for (let turn = 0; stepper.status !== 'done';) {
    const [effect] = stepper.outbox.values()
    if (effect === undefined) throw new Error(`The charts want nothing in ${JSON.stringify(stepper.value)}.`)
    if (effect.src === 'runTool') stepper.complete(effect.key, { status: 'succeeded', resultHash: 'r', at: turn })
    else stepper.complete(effect.key, answer(turn++, turns))
  }
  return read() / turns
}

function answer(turn: number, turns: number) {
  const call = {
    callId: `${turn}.call`,
    verdict: { kind: 'allowed' },
    effects: 'none',
    resumeMode: 'replay',
    isExclusive: false,
    blocksRun: false,
    callHash: `call ${turn}`,
  }
  const calls = turn < turns ? [call] : []
  return { kind: 'answered', answer: { seq: turn, calls, dropped: [], usage, cost: 0, startedAt: turn, at: turn } }
}
