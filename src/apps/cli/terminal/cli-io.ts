import { styleText } from 'node:util'
import type { Clock } from '../../../index.ts'

/** Where the command line reads and writes, handed in so that it runs inside a test as in a terminal. */
export interface CliIo {
  readonly stdout: TextSink
  readonly stderr: TextSink
  /** Where JSON goes when text has made way for it, to `stderr`. Default: `stdout`. */
  readonly results?: TextSink
  /** What a person types; read only on a terminal. */
  readonly stdin: TypedInput
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the working folder. */
  readonly cwd: string
  /** True where a person sits at both ends: nothing is ever asked without it. */
  readonly isTTY: boolean
  /** Width of the terminal, where known. */
  readonly columns?: number | undefined
  /** Height of the terminal in lines, where known. */
  readonly rows?: number | undefined
  /** Calls a function when the terminal has got another size; gives what ends it. */
  onResize?(resized: () => void): () => void
  /** Calls a function before a signal or an error ends the process; returns a function that takes it back. */
  onTermination?(terminated: () => void): () => void
  /** Calls a function when nothing is left that could wake the process; returns a function that takes it back. */
  onIdle?(idle: () => void): () => void
  readonly clock: Clock
  /** Fires at the first Ctrl-C: the drive stops, the run stays stored. */
  readonly signal: AbortSignal
}

/** Where typed text is read from; a terminal has a raw mode, in which each key comes at once. */
export type TypedInput = NodeJS.ReadableStream & { setRawMode?(isRaw: boolean): unknown }

/** Anything text can be written to. */
export interface TextSink {
  write(text: string): unknown
}

/** Colours a text; gives it back as it is where colours are off. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string

/** Colours on a terminal only, and not where `NO_COLOR` is set or the terminal is dumb. */
export function createPaint({ isTTY, env }: CliIo): Paint {
  const isOn = isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  return (style, text) => (isOn ? styleText(style, text, { validateStream: false }) : text)
}
