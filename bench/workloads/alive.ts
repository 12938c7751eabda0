import { createAgent, tool } from '../../src/index.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { runToEnd } from '../agent-turns.ts'
import { bareLoop } from '../bare-loop.ts'
import { callOf, modelThat } from '../counting-agent.ts'
import { resultText } from '../texts.ts'
import type { Workload } from '../workload.ts'

const turnsEach = 5
const middle = 2

/** What so many runs of five turns keep in memory while each waits for the tool of its third turn. */
export const alive: Workload = {
  name: 'alive',
  unit: 'kB a run',
  floor: 'as many loops of promises that wait for the same gate, each with the same messages in an array.',
  rounds: 9,
  warmUp: { size: 100, times: 2 },
  variants: [
    {
      name: 'memory',
      sizes: [1000],
      subjects: {
        floor: (runs) => aliveIn(runs, (gate) => () => bareLoop({ turns: turnsEach, gate })),
        statewright: (runs) => aliveIn(runs, (gate) => startingOn(gate)),
      },
    },
  ],
}

type Gate = (turn: number) => Promise<void>

function startingOn(gate: Gate): () => Promise<void> {
  const echo = tool({
    name: 'echo',
    description: 'Answers with a text.',
    input: { type: 'object', properties: { text: { type: 'string' } } },
    effects: 'none',
    execute: async (given: { readonly text: string }) => {
      await gate(Number(/of turn (\d+)/.exec(given.text)?.[1]))
      return resultText
    },
  })
  const model = modelThat((asked) => {
    const turn = (asked - 1) / 2
    return turn < turnsEach ? { calls: [callOf(turn, 0)] } : {}
  })
  const agent = createAgent({ name: 'bench', model, tools: [echo], store: memoryStore(), limits: false })
  return () => runToEnd(agent)
}

async function aliveIn(runs: number, starting: (gate: Gate) => () => Promise<void>): Promise<number> {
  let waiting = 0
  const [opened, open] = latch()
  const [allWait, tell] = latch()
  const start = starting(async (turn) => {
    if (turn !== middle) return
    if (++waiting === runs) tell()
    await opened
  })
  const before = heapBytes()
  const ended = Array.from({ length: runs }, start)
  await allWait
  const bytes = heapBytes() - before
  open()
  await Promise.all(ended)
  return bytes / runs / 1024
}

function latch(): readonly [Promise<void>, () => void] {
  const { promise, resolve } = Promise.withResolvers<void>()
  return [promise, () => resolve()]
}

/** Bytes that are left once what nobody holds was collected. */
function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('Start this with `npm run bench`: it needs --expose-gc.')
  for (let time = 0; time < 2; time++) globalThis.gc()
  return process.memoryUsage().heapUsed
}
