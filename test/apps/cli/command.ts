import { PassThrough } from 'node:stream'
import type { Clock } from '../../../src/index.ts'
import { systemClock } from '../../../src/ports.ts'
import { main } from '../../../src/apps/cli/command-line.ts'

/** How a command line is called in a test. */
export interface CallOptions {
  /** The working folder. */
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  /**
   * What is typed at the terminal, one key or line for each question, null for nothing; the input ends after the last. None:
   * no terminal.
   */
  readonly answers?: readonly (string | null)[]
  /** Typed before anything is printed. */
  readonly typedAhead?: string
  readonly columns?: number
  readonly rows?: number
  /** Default: the computer's. */
  readonly clock?: Clock
  /** Told of each piece of output as it is written. */
  readonly onPrint?: (text: string) => void
  /** Ctrl-C is pressed once this has been printed. */
  readonly interruptAt?: string
}

/** What a command left behind. */
export interface Called {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs the command line in this process. */
export async function call(argv: readonly string[], options: CallOptions): Promise<Called> {
  const { cwd, env = {}, answers, typedAhead, interruptAt, columns = 100, rows, clock = systemClock, onPrint } = options
  const interrupted = new AbortController()
  const stdin = new PassThrough()
  if (typedAhead !== undefined) stdin.write(typedAhead)
  const waiting = [...(answers ?? [])]
  let out = ''
  let err = ''
  const notice = (text: string) => {
    onPrint?.(text)
    if (interruptAt !== undefined && `${out}${err}`.includes(interruptAt)) interrupted.abort()
  }
  const write = (text: string) => {
    out += text
    notice(text)
    if (!/(\[y\/n[^\]]*\][^\n]*|(Value|\w+ \([^)]*\)):|reason\)|q ends --) $/.test(text.slice(-200))) return
    const answer = waiting.shift()
    if (answer === undefined) stdin.end()
    else if (answer !== null) stdin.write(`${answer}\n`)
  }
  const code = await main(argv, {
    stdout: { write },
    stderr: {
      write: (text) => {
        err += text
        notice(text)
      },
    },
    stdin,
    env,
    cwd,
    isTTY: answers !== undefined,
    columns,
    rows,
    clock,
    signal: interrupted.signal,
  })
  return { code, out, err }
}

/** The JSON object on the last line of the output. */
export function lastLine({ out }: Called): Record<string, unknown> {
  const value: unknown = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '')
  if (typeof value !== 'object' || value === null) throw new Error(`No JSON object on the last line: ${out}`)
  return { ...value }
}

/** The id a command printed as its first line, for people beside its JSON. */
export function runIdIn({ out, err }: Called): string {
  const id = /^run (\S+)$/m.exec(`${out}${err}`)?.[1]
  if (id === undefined) throw new Error(`No run id in: ${out}${err}`)
  return id
}
