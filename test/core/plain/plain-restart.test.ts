import { expect, test } from 'vitest'
import { type AnyActor, createActor, toPromise, waitFor } from 'xstate'
import { createAgent, type Model, type PlainLog } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'
import { quiet } from '../../../proof/support/test-agent.ts'
import { toolbox } from '../../../proof/support/tools.ts'

/** Stops an actor and starts it again, as @xstate/react does under StrictMode: with the snapshots that it had. */
function restart(actor: AnyActor): void {
  const kept: (readonly [AnyActor, unknown])[] = []
  const keep = (one: AnyActor) => {
    const snapshot: unknown = one.getSnapshot()
    kept.push([one, snapshot])
    for (const child of Object.values((snapshot as { children?: Record<string, AnyActor> }).children ?? {})) keep(child)
  }
  keep(actor)
  actor.stop()
  for (const [one, snapshot] of kept) Object.assign(one, { _processingStatus: 0, _snapshot: snapshot })
  actor.start()
}

/** A model that counts its calls and answers when the test says so. */
function countedModel() {
  const counts = { asked: 0, aborted: 0 }
  const answer = Promise.withResolvers<void>()
  const inner = scripted(['Hello'])
  const model: Model = {
    ...inner,
    async *stream(request) {
      counts.asked += 1
      request.signal.addEventListener('abort', () => (counts.aborted += 1))
      await answer.promise
      yield* inner.stream(request)
    },
  }
  return { model, counts, answer: answer.resolve }
}

test('RUN-09 asks the model once if an actor is started, stopped and started in one tick', async () => {
  const { model, counts, answer } = countedModel()
  const actor = createActor(createAgent({ name: 'clerk', model }).machine, { input: 'Hi' }).start()
  restart(actor)
  restart(actor)
  await quiet()
  answer()
  const { text, messages } = await toPromise(actor)
  expect({ text, messages: messages.length, counts }).toEqual({
    text: 'Hello',
    messages: 2,
    counts: { asked: 1, aborted: 0 },
  })
})

test('RUN-09 aborts the earlier model call if an actor is stopped and later started again', async () => {
  const { model, counts, answer } = countedModel()
  const actor = createActor(createAgent({ name: 'clerk', model }).machine, { input: 'Hi' }).start()
  await quiet()
  expect(counts).toEqual({ asked: 1, aborted: 0 })
  restart(actor)
  await quiet()
  answer()
  expect((await toPromise(actor)).text).toBe('Hello')
  expect(counts).toEqual({ asked: 2, aborted: 1 })
})

test('RUN-09 TC-08 suspends a once tool that was running when its actor was stopped and started again', async () => {
  const { act, done } = toolbox()
  const held = Promise.withResolvers<string>()
  const started = Promise.withResolvers<void>()
  const execute = () => {
    done.push('paid')
    started.resolve()
    return held.promise
  }
  const model = scripted([{ toolCalls: [{ id: 'c1', name: 'pay', arguments: {} }] }, 'Bye'])
  const agent = createAgent({ name: 'clerk', model, tools: [{ ...act('pay'), execute }] })
  const actor = createActor(agent.machine, { input: 'Hi' }).start()
  await started.promise
  restart(actor)
  const { context } = await waitFor(actor, ({ value }) => value === 'waiting')
  expect(Object.values(context.calls)).toMatchObject([{ suspension: { reason: 'interrupted' } }])
  expect(done).toEqual(['paid'])
})

test('RUN-09 wakes a restored run once if its actor is stopped and started in one tick, and never while it is stopped', async () => {
  const { act } = toolbox()
  const model = scripted([{ toolCalls: [{ id: 'c1', name: 'pay', arguments: {} }] }, 'Bye'])
  const agent = createAgent({ name: 'clerk', model, tools: [act('pay', { needs: 'approval' })] })
  let log: PlainLog | undefined
  const first = createActor(agent.provide({ onLog: (kept) => (log = kept) }), { input: 'Hi' }).start()
  await waitFor(first, ({ value }) => value === 'waiting')
  const snapshot = first.getPersistedSnapshot()
  first.stop()
  const restored = () => {
    const woken: string[] = []
    const inspect = (event: { readonly type: string; readonly event?: { readonly type: string } }) => {
      if (event.type === '@xstate.event' && event.event?.type === 'run.woken') woken.push(event.event.type)
    }
    const actor = createActor(agent.provide({ ...(log && { log }) }), { snapshot, inspect }).start()
    return { actor, woken }
  }
  const again = restored()
  restart(again.actor)
  const stopped = restored()
  stopped.actor.stop()
  await quiet()
  expect({ again: again.woken, stopped: stopped.woken }).toEqual({ again: ['run.woken'], stopped: [] })
})
