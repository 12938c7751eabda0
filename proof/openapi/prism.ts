import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'

/** Documents served by Prism in a process of its own. */
export interface Prism extends AsyncDisposable {
  /** By path of the document: `http://127.0.0.1:<port>`. */
  readonly origins: ReadonlyMap<string, string>
}

/** Starts Prism for these documents. */
export async function startPrism(documents: readonly string[]): Promise<Prism> {
  const program = fileURLToPath(new URL('serve-examples.ts', import.meta.url))
  const child = spawn(process.execPath, [program, ...documents], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let said = ''
  const addresses = await new Promise<readonly string[]>((resolve, reject) => {
    const hear = (piece: Buffer) => {
      said += stripVTControlCharacters(piece.toString('utf8'))
      const found = [...said.matchAll(/Prism is listening on (http:\/\/127\.0\.0\.1:\d+)/g)].map(
        ([, address = '']) => address,
      )
      if (found.length === documents.length) resolve(found)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('close', () => reject(new Error(`Prism ended before it had begun:\n${said}`)))
  })
  return {
    origins: new Map(documents.map((document, index) => [document, addresses[index] ?? ''])),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end()
      await ended
    },
  }
}
