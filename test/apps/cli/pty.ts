import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { SmallScreen } from './small-screen.ts'

const program = fileURLToPath(new URL('../../../src/apps/cli/main.ts', import.meta.url))

/** The package that opens terminals; undefined where it cannot be had here. */
const pty = await import('@lydell/node-pty').catch(() => undefined)

/** Why nothing can be tested at a terminal here; empty where it can. */
export const noTerminal = pty === undefined ? ', skipped: @lydell/node-pty cannot be loaded' : ''

/** A program at a terminal. */
export interface AtTerminal {
  /** Everything it has written. */
  shown(): string
  type(keys: string): void
  /** Sends the program a signal; SIGHUP closes the terminal under it. */
  kill(signal: 'SIGHUP' | 'SIGTERM'): void
  resize(columns: number): void
  /** Resolves once it has written so many pieces like this one. */
  until(text: string, times?: number): Promise<void>
  /** Resolves once the chat waits for a prompt, and nothing is drafted. */
  ready(): Promise<void>
  /** Resolves once a question stands in the last row. */
  asked(): Promise<void>
  readonly screen: SmallScreen
  readonly ended: Promise<number>
}

/** How a terminal is opened. */
export interface TerminalOptions {
  readonly cwd: string
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
}

/** The command line at a terminal of its own, with no key in its environment. */
export function atTerminal(argv: readonly string[], { cwd, columns = 80, env = {} }: TerminalOptions): AtTerminal {
  if (pty === undefined) throw new Error(noTerminal)
  const keys = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', NO_COLOR: '1' }
  const child = pty.spawn(process.execPath, [program, ...argv], {
    name: env['TERM'] ?? 'xterm',
    cols: columns,
    rows: 24,
    cwd,
    env: { ...process.env, ...keys, ...env },
  })
  const screen = new SmallScreen(columns)
  let shown = ''
  const exit = { isOver: false }
  let look = () => {}
  child.onData((text) => {
    shown += text
    screen.write(text)
    look()
  })
  const ended = new Promise<number>((resolve) => {
    child.onExit(({ exitCode }) => {
      exit.isOver = true
      look()
      resolve(exitCode)
    })
  })
  onTestFinished(() => {
    if (!exit.isOver) child.kill('SIGKILL')
  })
  const come = async (isThere: () => boolean, wanted: string) => {
    while (!isThere() && !exit.isOver) await new Promise<void>((resolve) => (look = resolve))
    if (!isThere()) throw new Error(`The program has ended, and there was no ${wanted}: ${shown}`)
  }
  const until = async (text: string, times = 1) =>
    await come(() => shown.split(text).length > times, `"${text}" ${times} times`)
  const ready = async () =>
    await come(() => {
      const [status, prompt] = screen.rows.slice(-2)
      return prompt === '>' && (env['TERM'] === 'dumb' || status?.startsWith('ready') === true)
    }, 'empty prompt')
  const asked = async () => await come(() => screen.rows.at(-1)?.startsWith('Approve?') === true, 'question')
  return {
    shown: () => shown,
    type: (typed) => child.write(typed),
    kill: (signal) => child.kill(signal),
    resize: (width) => child.resize(width, 24),
    until,
    ready,
    asked,
    screen,
    ended,
  }
}
