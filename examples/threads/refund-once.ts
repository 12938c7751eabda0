// A refund goes out, and the process dies before it has stored that. The refund does not go out again.
// https://github.com/microsoft/agent-framework/issues/3938
import assert from 'node:assert/strict'
import { type Clock, tool } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { walkCrashes } from '../../src/testing/index.ts'

const calls = ['charge', 'refund', 'notify'].map((name) => ({ id: name, name, arguments: {} }))
const storage = (clock: Pick<Clock, 'now'>) => {
  const store = memoryStore({ clock })
  return { reopen: async () => store, dispose: () => store.close() }
}
/** Stops the process before and after each write, and in each tool; a new process goes on each time. */
const report = await walkCrashes(
  {
    name: 'refund',
    build: (environment) => ({
      name: 'clerk',
      executor: 'sequential',
      model: scripted([...calls.map((call) => ({ toolCalls: [call] })), 'Refunded.']),
      tools: calls.map(({ name }) =>
        tool({
          name,
          description: `Does: ${name}.`,
          input: { type: 'object' },
          effects: name === 'notify' ? 'idempotent' : 'once',
          execute: (_, context) => environment.perform(context, 'Done.'),
        }),
      ),
    }),
  },
  { storage, maxPairs: 0 },
)
assert.deepEqual(report.findings, [])
assert.ok(report.points >= 10)
console.log(`stopped at ${report.points} places: nothing lost, nothing done twice`)
