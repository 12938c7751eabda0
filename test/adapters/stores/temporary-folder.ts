import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder that goes away at the end of the block that holds it. */
export function temporaryFolder(): Disposable & { readonly file: (name: string) => string } {
  const folder = mkdtempSync(join(tmpdir(), 'store-'))
  return {
    file: (name) => join(folder, name),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}
