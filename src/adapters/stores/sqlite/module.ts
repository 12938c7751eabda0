import { closeSync, existsSync, openSync } from 'node:fs'
import { oldPlatform } from '../../../core/domain/text/platform.ts'

const emitWarning = process.emitWarning.bind(process)

// Older Node says on loading that SQLite is experimental; a user of this package cannot act on it.
process.emitWarning = new Proxy(emitWarning, {
  apply(target, self, args: readonly unknown[]) {
    const isNotice = args[1] === 'ExperimentalWarning' && String(args[0]).includes('SQLite')
    return isNotice ? undefined : Reflect.apply(target, self, args)
  },
})
const { DatabaseSync } = await import('node:sqlite')
  .catch((cause: unknown) => {
    throw new Error(oldPlatform(), { cause })
  })
  .finally(() => {
    process.emitWarning = emitWarning
  })

/** The database class of `node:sqlite`, loaded without its notice. */
export { DatabaseSync }

/** Creates a database file that only its owner can read. SQLite gives its side files the same permissions. */
export function makeFile(path: string): void {
  if (path === ':memory:' || path.startsWith('file:') || existsSync(path)) return
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // Another process created it first, or SQLite reports the problem with the path.
  }
}
