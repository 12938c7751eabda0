import { expect, test } from 'vitest'
import { ApplicationError } from '../../../../src/core/domain/application-error.ts'
import type { CallRecord } from '../../../../src/core/domain/call.ts'
import type { EffectContext } from '../../../../src/core/ports/effect-handler.ts'
import { HookedUpdates } from '../../../../src/core/effects/tools/hooked-updates.ts'
import type { Plugin } from '../../../../src/index.ts'
import type { UpdateContext } from '../../../../src/ports.ts'
import { fakeClock } from '../../../../proof/support/fake-clock.ts'
import { quiet } from '../../../../proof/support/test-agent.ts'

/** Updates past some hooks, and the texts that were told. */
function updatesPast(hooks: Omit<Plugin, 'name'>, pluginTimeoutMs = Infinity) {
  const clock = fakeClock()
  const told: string[] = []
  const context = { clock, signal: new AbortController().signal, view: { state: {} } } as unknown as EffectContext
  const call = { toolName: 'act', callId: '1.c1' } as CallRecord
  const updates = new HookedUpdates({ plugins: [{ name: 'p', ...hooks }], pluginTimeoutMs, call, context })
  const take = (text: string) => updates.take({ text, tell: () => void told.push(text) })
  return { clock, told, updates, take }
}

test('PH-02 keeps the order of updates whose hooks are asynchronous', async () => {
  const { told, updates, take } = updatesPast({
    beforeUpdate: async ({ text }) => (text === 'a' ? quiet() : undefined),
  })
  for (const text of ['a', 'b', 'c']) take(text)
  expect(told).toEqual([])
  expect(await updates.end()).toBeUndefined()
  expect(told).toEqual(['a', 'b', 'c'])
})

test('PH-02 drops an update that beforeUpdate rejects, and skips its after-hook too', async () => {
  const after: string[] = []
  const { told, updates, take } = updatesPast({
    beforeUpdate: ({ text }) => text !== 'secret',
    afterUpdate: ({ call: { toolName, callId }, text }) => void after.push(`${toolName} ${callId} ${text}`),
  })
  for (const text of ['open', 'secret', 'end']) take(text)
  await updates.end()
  expect(told).toEqual(['open', 'end'])
  expect(after).toEqual(['act 1.c1 open', 'act 1.c1 end'])
})

test('PH-02 keeps at most a million characters of updates, the newest', async () => {
  const gate = Promise.withResolvers<void>()
  const { told, updates, take } = updatesPast({ beforeUpdate: () => gate.promise })
  take('first')
  for (let index = 0; index < 30; index++) take(`${index} ${'x'.repeat(100_000)}`)
  gate.resolve()
  await updates.end()
  expect(told.map((text) => text.split(' ')[0])).toEqual(['first', '0', '1', '2', '3', '4', '5', '6', '7', '29'])
})

type UpdateHook = 'beforeUpdate' | 'afterUpdate'

test.for<[Pick<Plugin, UpdateHook>, string]>([
  [{ beforeUpdate: () => Promise.reject(new Error('boom')) }, 'Plugin "p" failed in beforeUpdate: boom'],
  [
    { afterUpdate: () => 'done' as never },
    'Plugin "p" failed in afterUpdate: it answered a value of type string. Expected true, false or nothing.',
  ],
])('PH-02 emits nothing after a hook failed: %#', async ([hooks, message]) => {
  const asked: string[] = []
  const counted = Object.entries(hooks).map(([name, hook]) => [
    name,
    (context: UpdateContext) => (asked.push(context.text), hook(context)),
  ])
  const { told, updates, take } = updatesPast(Object.fromEntries(counted))
  take('a')
  take('b')
  await quiet()
  take('c')
  expect(await updates.end()).toEqual(new ApplicationError(message))
  expect(told).toEqual('afterUpdate' in hooks ? ['a'] : [])
  expect(asked).toEqual(['a'])
})

test('PH-02 stops waiting for a hook that never returns', async () => {
  const never = new Promise<void>(() => {})
  const { clock, told, updates, take } = updatesPast({ beforeUpdate: () => never }, 1000)
  take('a')
  take('b')
  clock.advance(400)
  const end = updates.end()
  clock.advance(600)
  expect(await end).toEqual(
    new ApplicationError('Plugin "p" failed in beforeUpdate: it did not finish within 1000 ms.'),
  )
  expect(told).toEqual([])
})

test('PH-02 waits for slow hooks after a tool no longer than a single hook may take', async () => {
  const { clock, told, updates, take } = updatesPast(
    { afterUpdate: () => clock.sleepUntil(clock.now() + 600, new AbortController().signal) },
    1000,
  )
  for (const text of ['a', 'b', 'c']) take(text)
  const end = updates.end()
  for (let part = 0; part < 5; part++) {
    await quiet()
    clock.advance(200)
  }
  expect(await end).toEqual(
    new ApplicationError(
      'Plugin "p" failed in afterUpdate: updates still waited for it 1000 ms after tool "act" had ended.',
    ),
  )
  await quiet()
  expect(told).toEqual(['a', 'b'])
})
