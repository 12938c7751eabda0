import { createAgent, tool } from '../../../../src/index.ts'
import type { Store } from '../../../../src/core/ports/store.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import { sqliteStore } from '../../../../src/adapters/stores/sqlite/sqlite-store.ts'

const [path = '', runId = '', dying = ''] = process.argv.slice(2)
const inner = sqliteStore(path)
let commits = 0

/** Ends at once after so many commits, with nothing given back. */
const store: Store = {
  ...inner,
  commit: async (commit) => {
    const receipt = await inner.commit(commit)
    if (++commits === Number(dying)) process.kill(process.pid, 'SIGKILL')
    return receipt
  },
}
const act = tool({
  name: 'act',
  description: 'Acts.',
  input: { type: 'object' },
  effects: 'none',
  execute: () => 'Done.',
})
const model = scripted([
  {
    toolCalls: [
      { name: 'act', arguments: {} },
      { name: 'act', arguments: {} },
    ],
  },
  { toolCalls: [{ name: 'act', arguments: {} }] },
  'All done.',
])
const agent = createAgent({ name: 'mortal', model, tools: [act], store })
const isKnown = (await inner.list()).some(({ id }) => id === runId)
const run = isKnown ? await agent.load(runId) : agent.start('Go.', { runId })
await run.settled()
await inner.close()
