import { setTimeout as pause } from 'node:timers/promises'
import { createActor, type StateValue, toPromise, waitFor } from 'xstate'
import { createAgent, tool } from '../src/index.ts'
import { scripted } from '../src/adapters/providers/scripted.ts'

const search = tool({
  name: 'search',
  description: 'Searches the house.',
  input: { type: 'object' },
  effects: 'none',
  execute: async () => pause(pace, 'Under the sofa.'),
})
const fetch = tool({
  name: 'fetch',
  description: 'Fetches something.',
  input: { type: 'object' },
  needs: 'approval',
  execute: async () => pause(pace, 'Here it is.'),
})
/** The delay of the states in milliseconds: on a terminal each state stays visible. */
const pace = process.stdout.isTTY ? 700 : 0
const call = (name: string) => ({ name, arguments: {} })
const model = scripted([{ toolCalls: [call('search'), call('fetch')] }, 'Found and fetched.'])
const agent = createAgent({ name: 'dog', model, tools: [search, fetch], onPartialSuspension: 'wait' })

const states = new Map<string, StateValue>()
let picture = ''
const actor = createActor(agent.machine, {
  input: 'Where is the ball?',
  inspect: ({ type, actorRef, ...event }) => {
    if (type !== '@xstate.snapshot' || !('snapshot' in event) || !('id' in actorRef)) return
    if (!('value' in event.snapshot)) return
    states.set(actorRef === actor ? 'run' : String(actorRef.id), event.snapshot.value as StateValue)
    draw()
  },
})

/** Returns the path of active states, e.g. `running › toolRound › executing`. */
function pathOf(value: StateValue): string {
  if (typeof value === 'string') return value
  return Object.entries(value)
    .map(([state, inner]) => [state, pathOf(inner ?? {})].filter(Boolean).join(' › '))
    .join(' | ')
}

/** Prints one line per actor: over the last output on a terminal, below it in a file. */
function draw(): void {
  const next = [...states].map(([name, value]) => `${name.padEnd(24)} ${pathOf(value)}`).join('\n')
  if (next === picture) return
  if (process.stdout.isTTY && picture !== '') process.stdout.write(`\u001B[${picture.split('\n').length}A\u001B[0J`)
  console.log(process.stdout.isTTY ? next : `${next}\n`)
  picture = next
}

actor.start()
const { context } = await waitFor(actor, ({ value }) => value === 'waiting')
await pause(pace)
const [target = ''] = Object.values(context.calls).flatMap(({ callId, status }) =>
  status === 'suspended' ? callId : [],
)
await agent.decide(actor, [{ target, action: 'resume' }])
const { text } = await toPromise(actor)
console.log(`done: ${text}`)
