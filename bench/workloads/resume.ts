import { agentResume, type AgentResume, resumeBetween } from '../agent-resume.ts'
import { bareResume, bareResumeBetween } from '../bare-resume.ts'
import type { Synchronous } from '../bare-store.ts'
import { usedBareStores, usedStores } from '../used-stores.ts'
import type { Variant, Workload } from '../workload.ts'

const sizes = [10, 100, 1000]

/** The same from the prompt on, so that taking in its messages counts. */
const whole = {
  name: 'whole in use',
  floor:
    'inserts all messages of the prompt in one transaction and the last answer in another, reads all on the second connection and parses them, and inserts the result and the answer, each in a transaction of its own.',
}

/**
 * One call that needs an approval, in a run of so many messages: from the answer that makes it, over the suspension, a
 * fresh agent on a connection of its own and the approval, to the run's end. In a store in use both connections have been
 * open for a while; in a new file the second is opened by whoever goes on.
 */
export const resume: Workload = {
  name: 'resume',
  unit: 'µs',
  floor:
    'inserts the last answer, reads all messages of the run on the second connection and parses them, and inserts the result and the answer, each in a transaction of its own.',
  rounds: 15,
  warmUp: { size: 10, times: 150 },
  variants: [
    inUse('given'),
    inUse('grown'),
    { ...inUse('given', true), ...whole },
    inNewFile('given', 'normal'),
    inNewFile('grown', 'normal'),
    inNewFile('given', 'full'),
  ],
}

function inUse(history: AgentResume['history'], isWhole = false): Variant {
  const synchronous = 'normal'
  return {
    name: `${history} in use`,
    sizes,
    subjects: {
      floor: async (messages, place) => {
        const used = await usedBareStores(place, synchronous)
        const run = `run ${used.runs++}`
        return bareResumeBetween(used.first, () => used.second, { run, messages, synchronous, isWhole })
      },
      statewright: async (messages, place) => {
        const { first, second } = await usedStores(place, synchronous)
        return resumeBetween(first, () => second, { messages, history, synchronous, isWhole })
      },
    },
  }
}

function inNewFile(history: AgentResume['history'], synchronous: Synchronous): Variant {
  return {
    name: `${history} ${synchronous}`,
    sizes,
    warmsUp: synchronous === 'normal',
    subjects: {
      floor: (messages, place) => bareResume({ messages, path: place.freshFile(), synchronous }),
      statewright: (messages, place) => agentResume({ messages, history, path: place.freshFile(), synchronous }),
    },
  }
}
