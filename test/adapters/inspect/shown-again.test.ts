import { expect, test, vi } from 'vitest'
import { type ShowValue, valueShower } from '../../../src/core/domain/text/shown-value.ts'

test('OBS-02 inspects a deeply frozen value once, and any other value each time', () => {
  let reads = 0
  const counted = () =>
    new Proxy(Object.freeze({ name: 'Anna' }), {
      get: (target, name) => {
        reads++
        return Reflect.get(target, name) as unknown
      },
    })
  const show = valueShower([])
  const inner = counted()
  const frozen = Object.freeze({ inner })
  expect([show(frozen), show(frozen), show({ again: frozen })]).toEqual([
    { inner: { name: 'Anna' } },
    { inner: { name: 'Anna' } },
    { again: { inner: { name: 'Anna' } } },
  ])
  expect(reads).toBe(1)
  const loose = { name: 'Anna' }
  const outer = Object.freeze({ loose })
  expect(show(outer)).toEqual({ loose: { name: 'Anna' } })
  loose.name = 'Bert'
  expect(show(outer)).toEqual({ loose: { name: 'Bert' } })
})

test('OBS-02 shows a part of a value that was too deep before if there is room for it now', () => {
  const show = valueShower([])
  const leaf = Object.freeze({ at: Object.freeze({ last: 1 }) })
  const nest = (depth: number): object => (depth === 0 ? leaf : Object.freeze({ next: nest(depth - 1) }))
  expect(JSON.stringify(show(nest(7)))).toContain('"at":"[object]"')
  expect(show(leaf)).toEqual({ at: { last: 1 } })
  expect(JSON.stringify(show(nest(7)))).toContain('"at":"[object]"')
  expect(JSON.stringify(show(nest(6)))).toContain('"at":{"last":1}')
})

test('OBS-02 shows a field named like the prototype as a field', () => {
  const show = valueShower([])
  const shown = show(JSON.parse('{ "__proto__": { "token": "t-1", "name": "Anna" }, "password": "", "key": 7 }'))
  expect(JSON.stringify(shown)).toBe('{"__proto__":{"token":"[secret]","name":"Anna"},"password":"","key":7}')
})

test('OBS-02 checks names and short texts for secrets once a process, and again for each new secret', () => {
  const value = { plate: 'a text that no other test shows', token: 'abc' }
  const look = vi.spyOn(String.prototype, 'replaceAll')
  const looks = (show: ShowValue) => {
    look.mockClear()
    return [show(value), look.mock.calls.length > 0]
  }
  const [first, second] = [valueShower([]), valueShower([])]
  const masked = valueShower([{ name: 'plate', value: 'no other' }])
  const shown = { plate: value.plate, token: '[secret]' }
  expect([looks(first), looks(second)]).toEqual([
    [shown, true],
    [shown, false],
  ])
  expect(looks(masked)).toEqual([{ plate: 'a text that [secret plate] test shows', token: '[secret]' }, true])
  expect(looks(second)).toEqual([shown, false])
  look.mockRestore()
})

test('OBS-02 shows no part of a secret at which a long text is cut', () => {
  const secret = 'kX9-qR7tUv-2mN4pW8z'
  const show = valueShower([{ name: 'KEY', value: secret }])
  expect(show(`${'x'.repeat(990)}${secret}`)).not.toContain('kX9')
})

test('OBS-02 reports a value that cannot be read, and shows the beginning of long, wide or circular ones', () => {
  const show = valueShower([])
  const broken = {
    get text(): string {
      throw new Error('Not now.')
    },
  }
  expect(show(broken)).toEqual({ text: '[unreadable]' })
  expect(show(Array.from({ length: 100 }, (_, index) => index))).toEqual([
    ...Array.from({ length: 40 }, (_, index) => index),
    '[60 more]',
  ])
  const circle: { again?: unknown } = {}
  circle.again = circle
  expect(show(circle)).toEqual({ again: '[again]' })
  const wide = (depth: number): unknown => (depth === 0 ? 1 : Array.from({ length: 30 }, () => wide(depth - 1)))
  expect(JSON.stringify(show(wide(3))).match(/1/g)?.length).toBeLessThanOrEqual(1_000)
})
