import { createAgent, type Model, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { bareLoop } from '../bare-loop.ts'
import { timeOf } from '../stopwatch.ts'
import type { Workload } from '../workload.ts'

const text = 'A word or two of an answer. '.repeat(20)
const turnsTimed = 40

/**
 * One run with a call in each turn, whose prompt is compacted again and again: the time of a turn behind so many messages, in
 * a budget of 8,000 tokens, and how much of each prompt is the beginning of the next, in one of 32,000.
 */
export const compaction: Workload = {
  name: 'compaction',
  unit: 'µs a turn, or a share',
  floor: 'the same number of turns of a loop of promises that pushes messages onto an array and compacts nothing.',
  rounds: 9,
  warmUp: { size: 200, times: 5 },
  variants: [
    {
      name: 'turn',
      sizes: [50, 1000],
      subjects: {
        floor: async () => (await timeOf('processor', () => bareLoop({ turns: turnsTimed }))) / turnsTimed,
        statewright: async (messages) => (await played(messages / 2 + turnsTimed, 8_000)).time,
      },
    },
    {
      name: 'prefix',
      floor: '1, which is the whole prompt.',
      sizes: [300],
      warmsUp: false,
      subjects: { floor: () => 1, statewright: async (turns) => (await played(turns, 32_000)).share },
    },
  ],
}

/** A run of so many turns: microseconds of each of the last ones, and the share of prompts that the next begins with. */
async function played(turns: number, budget: number): Promise<{ readonly time: number; readonly share: number }> {
  const shares = new Shares()
  let asked = 0
  let since = process.cpuUsage()
  const inner = scripted(() =>
    asked > turns ? 'Done.' : { text, toolCalls: [{ name: 'count', arguments: { text } }] },
  )
  const model: Model = {
    ...inner,
    stream(request) {
      asked++
      if (asked === turns - turnsTimed) since = process.cpuUsage()
      shares.add(request.messages)
      return inner.stream(request)
    },
  }
  const count = tool({
    name: 'count',
    description: 'Counts.',
    input: { type: 'object', properties: { text: { type: 'string' } } },
    effects: 'none',
    execute: () => text,
  })
  const agent = createAgent({
    name: 'a',
    model,
    tools: [count],
    compaction: { budget },
    limits: { maxTurns: Infinity, maxTokens: Infinity, maxDurationMs: Infinity, repeat: 0 },
  })
  const { outcome } = await agent.run('Go.')
  if (outcome.reason !== 'natural_end') throw new Error(`The run ended with ${JSON.stringify(outcome)}.`)
  const { user, system } = process.cpuUsage(since)
  return { time: (user + system) / turnsTimed, share: shares.share }
}

/** Messages of a prompt stay the same objects for as long as they are sent as they are. */
class Shares {
  #before: readonly object[] = []
  #same = 0
  #all = 0

  add(messages: readonly object[]): void {
    const changed = this.#before.findIndex((message, index) => message !== messages[index])
    this.#same += changed < 0 ? this.#before.length : changed
    this.#all += this.#before.length
    this.#before = messages
  }

  get share(): number {
    return this.#same / this.#all
  }
}
