/** The only files of the core that may write to a store, by method of `Store`: each write has one place (ADR 3). */
const writers: Readonly<Record<string, readonly string[]>> = {
  create: ['src/core/driving/create-run.ts', 'src/core/driving/fork-run.ts'],
  commit: ['src/core/runtime/write-commit.ts'],
  claim: ['src/core/driving/run-driving.ts', 'src/core/workers/drive-work.ts'],
  claimNext: ['src/core/workers/work-loop.ts'],
  renew: ['src/core/runtime/held-lease.ts'],
  release: [
    'src/core/driving/create-run.ts',
    'src/core/driving/fork-run.ts',
    'src/core/driving/run-driving.ts',
    'src/core/workers/drive-work.ts',
    'src/core/runtime/drive.ts',
  ],
  decide: ['src/core/driving/store-decisions.ts', 'src/core/family/deliver-ends.ts'],
  post: ['src/core/family/deliver-ends.ts', 'src/core/agent/run-handle.ts', 'src/core/sessions/say-to-session.ts'],
  delete: ['src/core/driving/delete-families.ts'],
}

const methods = Object.keys(writers).join('|')

/** Matches a writing method that is called on something named `store`, or destructured from one. */
const called = new RegExp(`\\bstore\\??\\.(${methods})\\b|\\{[^{}]*\\b(${methods})\\b[^{}]*\\} = [\\w.#]*store\\b`)

/** Matches files that use the store of runs: in `src`, without the stores themselves, the recorder's and the tests'. */
const judged = /^src\/(?!(?:core|adapters)\/stores\/|adapters\/recorder\/|testing\/|core\/(?:ports|domain)\/)/

/** A write to a store in a file that must not make it. */
export interface StoreWrite {
  readonly line: number
  readonly message: string
}

/** Returns the writes to a store in a file that must not make them. */
export function judgeStoreWrites(path: string, text: string): readonly StoreWrite[] {
  if (!judged.test(path)) return []
  return text.split('\n').flatMap((line, index) => {
    const found = called.exec(line)
    const method = found?.[1] ?? found?.[2]
    if (method === undefined || writers[method]?.includes(path) === true) return []
    return { line: index + 1, message: `calls store.${method}, which ${writers[method]?.join(' and ')} alone may do` }
  })
}
