import assert from 'node:assert/strict'
import { createActor, waitFor } from 'xstate'
import { createAgent, tool } from '../src/index.ts'
import { scripted } from '../src/providers/scripted.ts'

const lights = tool({
  name: 'lights',
  description: 'Switches the lights.',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => 'The lights are on.',
})
const model = scripted([{ toolCalls: [{ id: 'on', name: 'lights', arguments: {} }] }, 'Lit.'])
const agent = createAgent({ name: 'house', model, tools: [lights] })

const states = new Set<string>()
const machine = agent.machine.provide({
  actions: { announceEnd: () => console.log('an action of the application, in the chart') },
})
const actor = createActor(machine, {
  input: agent.machineInput('Lights, please.'),
  inspect: (event) => {
    if (event.type !== '@xstate.snapshot' || !('value' in event.snapshot)) return
    const name = event.actorRef === actor ? 'run' : 'id' in event.actorRef ? String(event.actorRef.id) : 'an actor'
    states.add(`${name} ${JSON.stringify(event.snapshot.value)}`)
  },
})
actor.start()
const waiting = await waitFor(actor, ({ value }) => value === 'waiting')
const [call] = Object.values(waiting.context.calls)
console.log(`waiting for ${call?.callId ?? 'nobody'}`)

actor.send({
  type: 'decision.received',
  at: Date.now(),
  decision: {
    inboxId: 0,
    decisionId: 'yes',
    callId: call?.callId ?? '',
    suspensionId: call?.suspension?.id ?? '',
    action: 'resume',
  },
})
const { output } = await waitFor(actor, ({ status }) => status === 'done')

assert.deepEqual(output?.outcome, { reason: 'natural_end' })
console.log([...states].join('\n'))
assert.ok(states.has('run "waiting"') && states.has('run "done"'))
console.log(`done: ${output?.outcome.reason ?? ''}, ${states.size} states seen by inspect`)
