import { expect, test } from 'vitest'
import type { Model } from '../../src/index.ts'
import type { ModelEvent } from '../../src/ports.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { eventsOf, runId, testAgent } from '../../proof/support/test-agent.ts'

const raise = (): never => {
  throw new Error('boom')
}

/** A value every look into which throws. */
const sealed: never = new Proxy({}, { get: raise, ownKeys: raise, has: raise, getPrototypeOf: raise }) as never

/** `base` with one field that throws when it is read. */
function broken<Base extends object>(base: Base, key: string): Base {
  return Object.defineProperty({ ...base }, key, { enumerable: true, get: raise })
}

const text = { type: 'text', text: 'Hi' } as const
const toolCall = { type: 'toolCall', id: 'c1', name: 'act', arguments: {} } as const
const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }
const message = { role: 'assistant', content: [text], stopReason: 'stop', model: 'm', provider: 'p', usage } as never
const finished = (answer: unknown) => ({ type: 'finished', message: answer }) as ModelEvent
const withContent = (...content: readonly unknown[]) => finished({ ...(message as object), content })

/** An adapter whose stream gives these events; a stub. */
function giving(...events: readonly ModelEvent[]): Model {
  return {
    ...scripted([]),
    provider: 'odd',
    id: 'one',
    async *stream() {
      yield* events
    },
  }
}

const cannotBeRead = 'The model odd/one gave an invalid event: '
const notReadable = 'The model odd/one gave an invalid answer. '

test.for<[string, ModelEvent, string]>([
  ['an event that throws', sealed, 'The model odd/one failed: boom'],
  ['no event', null as never, cannotBeRead],
  ['a type that throws', broken({ type: 'text', delta: 'a' } as const, 'type'), `${cannotBeRead}boom`],
  ['a delta that throws', broken({ type: 'text', delta: 'a' } as const, 'delta'), `${cannotBeRead}boom`],
  ['a delta that is not a text', { type: 'text', delta: {} as never }, 'its event of type "text" has no text as delta'],
  ['a message that throws', broken({ type: 'finished', message } as const, 'message'), `${cannotBeRead}boom`],
  ['options that throw', { type: 'finished', message, leftOut: sealed }, 'its leftOut cannot be read'],
  ['an answer that throws', finished(sealed), `${cannotBeRead}boom`],
  ['content that throws', finished(broken(message, 'content')), `${cannotBeRead}boom`],
  ['a list that throws', finished({ ...(message as object), content: new Proxy([], { get: raise }) }), cannotBeRead],
  ['a block that throws', withContent(sealed), `${cannotBeRead}boom`],
  ['a text that throws', withContent(broken(text, 'text')), notReadable],
  ['the name of a call that throws', withContent(broken(toolCall, 'name')), `${cannotBeRead}boom`],
  ['a stop reason that throws', finished(broken(message, 'stopReason')), `${cannotBeRead}boom`],
  ['usage that throws', finished({ ...(message as object), usage: sealed }), notReadable],
])('RUN-06 PRV-05 ends an attempt whose adapter returns %s like any model error', async ([, event, why]) => {
  const error = { code: 'api_error', message: expect.stringContaining(why) }
  const { agent, store } = testAgent({ model: giving(event) })
  const events = await eventsOf(agent.start('Hi', { runId }))
  expect(events.filter(({ type }) => type === 'model.failed')).toMatchObject([{ turn: 1, error, retryAt: null }])
  expect(await store.record(runId)).toMatchObject({ status: 'done', doneReason: 'error', error })
})
