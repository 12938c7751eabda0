import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A program of the folder `processes`, running. */
export interface Child extends AsyncDisposable {
  readonly pid: number
  /** Its next line of output; throws when it ended without one. */
  readonly line: () => Promise<string>
  readonly tell: (line: string) => void
  readonly kill: () => Promise<void>
  /** Its exit code and everything it complained of. */
  readonly ended: () => Promise<{ readonly code: number | null; readonly complaint: string }>
}

/** Starts a program in a process of its own. */
export function startChild(name: string, ...args: readonly string[]): Child {
  const script = fileURLToPath(new URL(`./processes/${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [script, ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exit = once(child, 'close')
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text
  })
  const ended = async () => {
    await exit
    return { code: child.exitCode, complaint }
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await exit
  }
  return {
    pid: pidOf(child),
    async line() {
      const { value, done } = await lines.next()
      if (done === true) throw new Error(`${name} ended: ${(await ended()).complaint}`)
      return value
    },
    tell: (line) => child.stdin.write(`${line}\n`),
    kill,
    ended,
    [Symbol.asyncDispose]: kill,
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('The process did not start.')
  return pid
}
