import { statSync } from 'node:fs'
import { sqliteStore } from '../../src/adapters/stores/sqlite/sqlite-store.ts'
import { runTurns } from '../agent-turns.ts'
import { bareLoop } from '../bare-loop.ts'
import { BareStore } from '../bare-store.ts'
import type { Workload } from '../workload.ts'

/** Bytes of the file that holds one run of so many turns, once it is closed. */
export const kept: Workload = {
  name: 'kept',
  unit: 'bytes',
  floor: 'the file of a table (run, seq, body) WITHOUT ROWID that holds the same messages, closed.',
  rounds: 1,
  variants: [
    {
      name: 'file',
      sizes: [10, 50, 200],
      subjects: {
        floor: async (turns, place) => {
          const path = place.freshFile()
          const store = new BareStore(path, 'normal')
          await bareLoop({ turns, keep: (message, seq) => store.append('run', seq, message) })
          store.close()
          return statSync(path).size
        },
        statewright: async (turns, place) => {
          const path = place.freshFile()
          const store = sqliteStore(path, { synchronous: 'normal' })
          await runTurns(store, turns)
          await store.close()
          return statSync(path).size
        },
      },
    },
  ],
}
