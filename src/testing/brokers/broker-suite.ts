import assert from 'node:assert/strict'
import type { ServiceEvent } from '../../core/domain/service-event.ts'
import type { Broker } from '../../core/ports/broker.ts'
import { watched } from '../watchdog.ts'

/**
 * Returns the cases that every broker must pass, for any test runner. `open` returns a new broker for each case; events
 * that `publish` accepts must reach its subscribers.
 */
export function brokerSuite(
  open: () => Broker | Promise<Broker>,
): readonly { readonly name: string; readonly run: () => Promise<void> }[] {
  return cases.map(([name, run]) => ({ name, run: () => watched(name, async () => run(await open())) }))
}

const asked: ServiceEvent = { specversion: '1.0', id: 'e-1', source: '/s', type: 'pay', domain: 'north', data: [0, ''] }

const cases: readonly (readonly [name: string, run: (broker: Broker) => Promise<void>])[] = [
  [
    'brings an event whole to whoever is meant by its type, what it is addressed to and its domain, and to nobody else',
    async (broker) => {
      const heard: string[] = []
      const hear = (name: string) => (event: ServiceEvent) => {
        assert.deepEqual(event, { ...asked, to: '/agents/a/runs/r' })
        heard.push(name)
      }
      broker.subscribe({ types: ['sing', 'pay'] }, hear('type'))
      broker.subscribe({ to: '/agents/a/' }, hear('to'))
      broker.subscribe({ types: ['pay'], domain: 'north' }, hear('domain'))
      broker.subscribe({ types: ['sing'] }, hear('other type'))
      broker.subscribe({ to: '/agents/b/' }, hear('other address'))
      broker.subscribe({ types: ['pay'], domain: 'south' }, hear('other domain'))
      await broker.publish({ ...asked, to: '/agents/a/runs/r' })
      assert.deepEqual(heard.toSorted(), ['domain', 'to', 'type'])
    },
  ],
  [
    'refuses an event that nobody hears, and one that somebody could not take in, so that it is tried again',
    async (broker) => {
      await assert.rejects(broker.publish(asked))
      let isDown = true
      const heard: string[] = []
      const leave = broker.subscribe({ types: ['pay'] }, async ({ id }) => {
        if (isDown) throw new Error('Down.')
        heard.push(id)
      })
      await assert.rejects(broker.publish(asked))
      isDown = false
      await broker.publish(asked)
      assert.deepEqual(heard, ['e-1'])
      leave()
      leave()
      await assert.rejects(broker.publish({ ...asked, id: 'e-2' }))
      assert.deepEqual(heard, ['e-1'])
    },
  ],
  [
    'gives each subscriber a copy of its own',
    async (broker) => {
      const seen: unknown[] = []
      const hear = (event: ServiceEvent) => {
        seen.push(structuredClone(event.data))
        if (Array.isArray(event.data)) Reflect.set(event.data, 0, 'changed')
      }
      broker.subscribe({ types: ['pay'] }, hear)
      broker.subscribe({ types: ['pay'] }, hear)
      await broker.publish(asked)
      assert.deepEqual(seen, [asked.data, asked.data])
      assert.deepEqual(asked.data, [0, ''])
    },
  ],
]
