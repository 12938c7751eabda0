import { runToEnd } from '../agent-turns.ts'
import { answeredRuns, uncalled } from '../answered-run.ts'
import { countingAgent } from '../counting-agent.ts'
import { timeOf } from '../stopwatch.ts'
import { usedStores } from '../used-stores.ts'
import type { Measure, Place, Workload } from '../workload.ts'

const runs = 20

/**
 * A run of so many messages with one call that waits for a service: from the prompt, over the event that asks, a broker of
 * this process and the event that answers, to its end. The floor is the same run with a call that a person approves. And turns
 * of an agent that lists a service nobody calls, beside one that lists none.
 */
export const service: Workload = {
  name: 'service',
  unit: 'µs a run or a turn',
  floor: 'the same run with a call that a person approves in the process that started it.',
  rounds: 15,
  warmUp: { size: 10, times: 15 },
  variants: [
    {
      name: 'answered',
      sizes: [10, 100],
      subjects: {
        floor: async (messages, place) => answeredRuns(await open(place), 'person', messages, runs),
        statewright: async (messages, place) => answeredRuns(await open(place), 'service', messages, runs),
      },
    },
    {
      name: 'uncalled',
      floor: 'the same run of an agent that lists no service.',
      sizes: [50],
      subjects: { floor: turns(() => ({})), statewright: turns(uncalled) },
    },
  ],
}

function turns(listed: () => object): Measure {
  return async (count, place) => {
    const agent = countingAgent({ turns: count, store: await open(place), watched: listed() })
    const time = await timeOf('processor', () => runToEnd(agent))
    await agent.close()
    return time / count
  }
}

async function open(place: Place) {
  return (await usedStores(place, 'normal')).first
}
