import { statSync } from 'node:fs'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { answerAt, promptOf, signingAgent } from '../agent-resume.ts'
import { BareStore } from '../bare-store.ts'
import { assistantMessage, promptMessage, resultMessage, userText } from '../texts.ts'
import type { Variant, Workload } from '../workload.ts'

const runs = 200

/** Bytes of a run of so many messages that waits for an approval, one of many in one file. */
export const rest: Workload = {
  name: 'rest',
  unit: 'bytes',
  floor:
    'the file of a table (run, seq, body) WITHOUT ROWID that holds the same messages of the same runs, less an empty one, a run.',
  rounds: 1,
  variants: [waiting('given'), waiting('grown')],
}

function waiting(history: 'given' | 'grown'): Variant {
  return {
    name: history,
    sizes: [10],
    subjects: {
      floor: (messages, place) => bareRest(history, messages, place.freshFile()),
      statewright: async (messages, place) => {
        const path = place.freshFile()
        await sqliteStore(path).close()
        const empty = statSync(path).size
        const store = sqliteStore(path, { synchronous: 'normal' })
        const agent = signingAgent(store, (asked) => answerAt(asked, messages))
        for (let run = 0; run < runs; run++) await agent.run(promptOf(history, messages))
        await store.close()
        return (statSync(path).size - empty) / runs
      },
    },
  }
}

function bareRest(history: 'given' | 'grown', messages: number, path: string): number {
  const store = new BareStore(path, 'normal')
  const empty = statSync(path).size
  for (let run = 0; run < runs; run++) {
    for (let seq = 1; seq < messages; seq++) store.append(`run ${run}`, seq, messageAt(history, seq))
    store.append(`run ${run}`, messages, assistantMessage(messages, 1))
  }
  store.close()
  return (statSync(path).size - empty) / runs
}

function messageAt(history: 'given' | 'grown', seq: number): object {
  if (history === 'given' || seq === 1) return promptMessage(userText)
  return seq % 2 === 0 ? assistantMessage(seq, 1) : resultMessage(seq - 1, 0)
}
