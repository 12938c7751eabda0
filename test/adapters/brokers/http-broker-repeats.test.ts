import { expect, test } from 'vitest'
import { event, receiving, request } from '../../core/services/delivery.ts'

test('SVC-04 a repeated event changes nothing, at once or later; a failed event may be repeated', async () => {
  const { broker, heard, advance } = receiving()
  const both = await Promise.all([broker.handle(request()), broker.handle(request())])
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  const again = await broker.handle(request({ body: JSON.stringify({ ...event, data: 'changed' }) }))
  expect(await again.json()).toEqual({ message: 'It came before.', answer: 'duplicate' })
  expect(heard).toEqual([event])
  advance(299_000)
  expect(await (await broker.handle(request())).json()).toMatchObject({ answer: 'duplicate' })
  let isDown = true
  broker.subscribe({ types: ['fail'] }, () => {
    if (isDown) throw new Error('Down, with secrets in the text.')
  })
  const failing = () => broker.handle(request({ id: 'msg_9', body: JSON.stringify({ ...event, type: 'fail' }) }))
  const refused = await failing()
  expect(refused.status).toBe(503)
  expect(await refused.text()).not.toContain('secrets')
  isDown = false
  expect((await failing()).status).toBe(200)
})

const later = [503, 'It could not be processed now: send it again later.']

test.each<[string, () => unknown, readonly unknown[], readonly unknown[]]>([
  ['is taken in', () => undefined, [200, 'Taken in.'], [200, 'It came before.']],
  ['fails', () => Promise.reject(new Error('The store is locked.')), later, later],
])(
  'SVC-04 a repeat waits for the first delivery, and if that %s it gets the same answer',
  async (_, end, first, repeat) => {
    const { broker } = receiving()
    const taking = Promise.withResolvers<unknown>()
    let taken = 0
    broker.subscribe({ types: ['slow'] }, async () => {
      taken++
      await taking.promise
      return end()
    })
    const slow = () => broker.handle(request({ id: 'msg_7', body: JSON.stringify({ ...event, type: 'slow' }) }))
    const answers = [slow(), slow(), slow()]
    await expect.poll(() => taken).toBe(1)
    taking.resolve(undefined)
    const said = answers.map(async (answer) => {
      const response = await answer
      return [response.status, (await response.json()).message]
    })
    expect(new Set((await Promise.all(said)).map(String))).toEqual(new Set([first, repeat].map(String)))
    expect(taken).toBe(1)
    await slow()
    expect(taken).toBe(first === later ? 2 : 1)
  },
)

test('SVC-04 answers a repeated delivery without a subscriber like the first one', async () => {
  const { broker } = receiving()
  const unheard = () => broker.handle(request({ id: 'msg_8', body: JSON.stringify({ ...event, type: 'odd' }) }))
  const responses = await Promise.all([unheard(), unheard()])
  const answer = [404, { message: 'There is no subscriber for events of type "odd".' }]
  expect(await Promise.all(responses.map(async (one) => [one.status, await one.json()]))).toEqual([answer, answer])
})
