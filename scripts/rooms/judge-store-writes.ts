/** The only files of the core that may ask a store to write, by the method of `Store`: each write has one way in (ADR 3). */
const writers: Readonly<Record<string, readonly string[]>> = {
  create: ['src/driving/create-run.ts', 'src/driving/fork-run.ts'],
  commit: ['src/runtime/write-commit.ts'],
  claim: ['src/driving/run-driving.ts', 'src/hosts/worker/drive-work.ts'],
  claimNext: ['src/hosts/worker/work-loop.ts'],
  postpone: ['src/hosts/worker/drive-work.ts'],
  renew: ['src/runtime/held-lease.ts'],
  release: [
    'src/driving/create-run.ts',
    'src/driving/fork-run.ts',
    'src/driving/run-driving.ts',
    'src/hosts/worker/drive-work.ts',
    'src/runtime/drive.ts',
  ],
  decide: ['src/driving/store-decisions.ts'],
  post: ['src/agent/run-handle.ts', 'src/sessions/say-to-session.ts'],
  changeSession: ['src/sessions/stored-session.ts'],
  deleteSession: ['src/sessions/session-handle.ts', 'src/driving/prune-runs.ts', 'src/cli/delete-command.ts'],
  delete: ['src/driving/prune-runs.ts', 'src/cli/delete-command.ts'],
}

const methods = Object.keys(writers).join('|')

/** A method that writes, called on something named `store`, or taken out of one to be called later. */
const called = new RegExp(`\\bstore\\??\\.(${methods})\\b|\\{[^{}]*\\b(${methods})\\b[^{}]*\\} = [\\w.#]*store\\b`)

/** Where files have to do with the store of runs: in `src`, outside the stores themselves, those of records and what tests them. */
const judged = /^src\/(?!stores\/|recorder\/|testing\/|ports\/|domain\/)/

/** A write to a store in a file that is not its one way in. */
export interface StoreWrite {
  readonly line: number
  readonly message: string
}

/** Finds writes to a store in a file that may not make them. */
export function judgeStoreWrites(path: string, text: string): readonly StoreWrite[] {
  if (!judged.test(path)) return []
  return text.split('\n').flatMap((line, index) => {
    const found = called.exec(line)
    const method = found?.[1] ?? found?.[2]
    if (method === undefined || writers[method]?.includes(path) === true) return []
    return { line: index + 1, message: `calls store.${method}, which ${writers[method]?.join(' and ')} alone may do` }
  })
}
