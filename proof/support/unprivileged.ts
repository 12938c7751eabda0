import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'

/** Returns the user that runs servers which refuse to run as root; undefined if this process is not root. */
export function unprivilegedUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/** Returns a port of this machine on which nothing listens. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const taker = createServer().listen(0, '127.0.0.1', () => {
      const address = taker.address()
      taker.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
