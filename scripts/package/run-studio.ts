import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

/** Starts the studio of the installed package on the store of a run, and reads its page and that run. */
export async function runStudio(folder: string): Promise<string> {
  const program = join(folder, 'node_modules/.bin/statewright')
  const started = spawn(program, ['run', 'Look around', '--model', 'scripted', '--store', 'studio.db'], { cwd: folder })
  await once(started, 'exit')
  const served = spawn(program, ['studio', '--store', 'studio.db'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const address = await addressIn(served.stdout)
    const headers = { authorization: `Bearer ${new URL(address).hash.replace('#token=', '')}` }
    const read = async (path: string) => (await fetch(new URL(path, address), { headers })).text()
    const { status } = await fetch(new URL('/api/runs', address))
    if (status !== 401) throw new Error(`The studio answered a read without its token with ${status}.`)
    const [page, script, style, runs] = await Promise.all(['/', '/studio.js', '/studio.css', '/api/runs'].map(read))
    const isWhole = page?.includes('/studio.js') && (script?.length ?? 0) > 10_000 && style?.includes('color-scheme')
    if (isWhole !== true || !runs?.includes('"status":"waiting"')) throw new Error('The studio serves no whole page.')
    return 'the installed studio serves its page and the run that waits'
  } finally {
    served.kill('SIGINT')
    await once(served, 'exit')
  }
}

/** Keeps reading after the address, because closing the pipe would end the studio at its next line. */
function addressIn(output: Readable): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    output.on('data', (piece: Buffer) => {
      text += piece.toString()
      const address = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+(?=\s)/.exec(text)?.[0]
      if (address !== undefined) resolve(address)
    })
    output.once('end', () => reject(new Error(`The studio did not start: ${text}`)))
  })
}
