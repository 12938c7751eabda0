import { createActor, toPromise, waitFor } from 'xstate'
import { createAgent, type PlainLog, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const object = { type: 'object' }
const lights = tool({ name: 'lights', description: 'Light.', input: object, needs: 'approval', execute: () => 'On.' })
const model = scripted([{ text: 'Light it is.', toolCalls: [{ name: 'lights', arguments: {} }] }, 'Lit.'])
const agent = createAgent({ name: 'house', model, tools: [lights] })

/** Runs until an approval is needed, and returns the whole run as JSON. */
export async function begin(input: string, show: (text: string) => void): Promise<string> {
  let log: PlainLog | undefined
  const actor = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input })
  actor.on('message.updated', ({ delta }) => delta.type === 'text' && show(delta.delta))
  await waitFor(actor.start(), ({ value }) => value === 'waiting')
  return JSON.stringify({ snapshot: actor.getPersistedSnapshot(), log })
}

/** Continues from that JSON in any process or page: approves the call, and returns the model's last answer. */
export async function finish(saved: string): Promise<string> {
  const { snapshot, log } = JSON.parse(saved)
  const actor = createActor(agent.provide({ log }), { snapshot }).start()
  await agent.decide(actor, [{ target: Object.keys(actor.getSnapshot().context.calls)[0] ?? '', action: 'resume' }])
  return (await toPromise(actor)).text
}
