import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { memoryStore } from '../../../src/core/stores/memory/memory-store.ts'
import { follow } from '../../../src/index.ts'
import { isRecord } from '../../../src/core/domain/text/json.ts'

const manifest: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

/** The source of each public subpath. */
function entries(): readonly (readonly [string, string])[] {
  const { exports } = manifest as { readonly exports: Readonly<Record<string, { readonly default?: string }>> }
  return Object.entries(exports).flatMap(([subpath, { default: built }]) =>
    built === undefined ? [] : [[subpath, built.replace('./dist/', '../../../').replace(/\.js$/, '.ts')] as const],
  )
}

/** Readers of one message or count, called for every block, and hooks of a component. */
const unasked = ['textOf', 'toolCallsOf', 'cacheHitRate', 'useRun', 'useSuspended']

/** Errors of JavaScript's own, which say nothing of what was wanted. */
const raw = ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError']

async function thrownBy(make: () => unknown): Promise<unknown> {
  try {
    const made: unknown = await make()
    if (isRecord(made) && typeof made['close'] === 'function') await made['close']()
    return undefined
  } catch (error) {
    return error
  }
}

test.each(entries())(
  "refuses wrong arguments of each function of %s with an error of its own, not JavaScript's",
  async (_, file) => {
    const exported: Readonly<Record<string, unknown>> = await import(file)
    const found: string[] = []
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== 'function' || /^[A-Z]/.test(name) || unasked.includes(name)) continue
      for (const given of [null, undefined, 1, '', []]) {
        const error = await thrownBy(() => Reflect.apply(value, undefined, [given]))
        if (error instanceof Error && raw.includes(error.name))
          found.push(`${name}(${JSON.stringify(given)}): ${error.message}`)
      }
    }
    expect(found).toEqual([])
  },
)

test.each([
  ['a store without its methods', { store: {}, runId: 'run-1' }],
  ['a run without an id', { store: memoryStore() }],
  ['a URL that is not a text', { url: 7 }],
  ['headers that are not a function', { url: '/api/runs/run-1', headers: {} }],
])('EVT-02 following refuses %s', (_, run) => {
  expect(() => follow(run as never)).toThrow(expect.objectContaining({ name: 'UsageError', code: 'bad_option' }))
})
