import { createActor } from 'xstate'
import { createAgent, type PlainLog, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

interface Pair {
  readonly snapshot: object
  readonly log: PlainLog
}

/** Stores a run in a page, as in the guide. */
interface Keeping {
  keep(id: string, pair: Pair): Promise<void>
  kept(id: string): Promise<Pair | undefined>
}

const send = tool({
  name: 'send',
  description: 'Sends.',
  input: { type: 'object' },
  needs: 'approval',
  execute: () => {
    localStorage.setItem('sent', `${localStorage.getItem('sent') ?? ''}x`)
    return 'Sent.'
  },
})
const model = scripted([{ text: 'I will.', toolCalls: [{ name: 'send', arguments: {} }] }, 'All done.'])
const agent = createAgent({ name: 'page', model, tools: [send] })

/** A chat in a page without a server: one tab drives it, and the next one goes on where that was. */
export async function chat(keeping: Keeping): Promise<void> {
  document.body.dataset['status'] = 'elsewhere'
  await navigator.locks.request('chat', () => drive(keeping))
}

async function drive({ keep, kept }: Keeping): Promise<never> {
  const saved = await kept('chat')
  let log = saved?.log
  let keeps = Promise.resolve()
  const machine = agent.provide({ ...(log === undefined ? {} : { log }), onLog: (now) => (log = now) })
  const actor = createActor(
    machine,
    saved === undefined ? { input: 'Bill Ada.' } : { snapshot: saved.snapshot as never },
  )
  const look = () => {
    const snapshot = actor.getPersistedSnapshot()
    const pair = log === undefined ? undefined : { snapshot, log }
    if (pair !== undefined) keeps = keeps.then(() => keep('chat', pair))
    void keeps.then(show)
  }
  const show = () => {
    const { messages, suspended } = agent.standing(actor)
    const texts = messages.flatMap((message) =>
      message.role === 'extension' ? [] : message.content.flatMap((one) => (one.type === 'text' ? one.text : [])),
    )
    document.body.replaceChildren(
      ...texts.map((text) => Object.assign(document.createElement('p'), { textContent: text })),
      ...suspended.map(({ callId }) =>
        Object.assign(document.createElement('button'), {
          textContent: 'Approve',
          onclick: () => void agent.decide(actor, [{ target: callId, action: 'resume' }]),
        }),
      ),
    )
    document.body.dataset['status'] = actor.getSnapshot().status
  }
  actor.subscribe(look)
  actor.start()
  look()
  return new Promise(() => undefined)
}
