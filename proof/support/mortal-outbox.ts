import { type Store, StoreError } from '../../src/index.ts'

const writing: ReadonlySet<string | symbol> = new Set([...['create', 'claim', 'commit', 'decide', 'release', 'change']])
const atOnce: ReadonlySet<string | symbol> = new Set(['watch'])

/** A store whose process ends at one of its writes, before or after it is made; nothing is heard of it from then on. */
export function mortalOutbox(inner: Store, at: number, side: 'before' | 'after') {
  let writes = 0
  let isDead = false
  const die = (): never => {
    isDead = true
    throw new StoreError('store_unavailable', 'The process has ended.')
  }
  const store = new Proxy(inner, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function' || atOnce.has(name)) return method
      return async (...given: readonly unknown[]) => {
        if (isDead) die()
        const number = writing.has(name) ? writes++ : undefined
        if (number === at && side === 'before') die()
        const result: unknown = await Reflect.apply(method, target, given)
        if (number === at) die()
        return result
      }
    },
  })
  return { store, isDead: () => isDead }
}
