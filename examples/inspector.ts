import { createAgent, tool } from '../src/index.ts'
import { inspectorRelay, statelyInspector } from '../src/adapters/inspect/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

// Shows a run on a page of this machine. At a terminal the page stays open until Ctrl-C.
const relay = await inspectorRelay()
const inspector = statelyInspector({ url: relay.url, secrets: [{ name: 'DESK', value: 'drawer 4' }] })
console.log(`Open ${relay.url}`)

const look = tool({
  name: 'look',
  description: 'Looks into a drawer.',
  input: { type: 'object' },
  effects: 'none',
  execute: async () => 'The ball is in drawer 4.',
})
const fetch = tool({
  name: 'fetch',
  description: 'Fetches something.',
  input: { type: 'object' },
  needs: 'approval',
  execute: async () => 'Here it is.',
})
const call = (name: string) => ({ name, arguments: {} })
const model = scripted([{ toolCalls: [call('look'), call('fetch')] }, 'Found and fetched.'])
const agent = createAgent({ name: 'dog', model, tools: [look, fetch], inspect: inspector, onPartialSuspension: 'wait' })

const { runId, status, suspended } = await agent.run('Where is the ball?')
console.log(status, suspended.map(({ toolName }) => toolName).join())
if (process.stdout.isTTY) await new Promise((resolve) => setTimeout(resolve, 20_000))
const run = await agent.load(runId)
await run.approve()
console.log((await run.settled()).text)

await inspector.close()
const headers = { authorization: relay.url.replace(/.*#token=/, 'Bearer ') }
const chart = await globalThis.fetch(new URL('/chart?name=toolCall', relay.url), { headers })
const { sent, dropped } = inspector.counts
console.log(sent > 50 ? 'messages sent' : 'too few messages', `${dropped} dropped, chart ${chart.status}`)
if (process.stdout.isTTY) await new Promise((resolve) => process.once('SIGINT', resolve))
await relay.close()
