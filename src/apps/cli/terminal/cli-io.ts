import { styleText } from 'node:util'
import type { Clock } from '../../../index.ts'

/** The streams and surroundings of the command line, which are injected for tests. */
export interface CliIo {
  readonly stdout: TextSink
  readonly stderr: TextSink
  /** The stream for JSON when text goes to `stderr`. Default: `stdout`. */
  readonly results?: TextSink
  /** The person's input; read only on a terminal. */
  readonly stdin: TypedInput
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the working folder. */
  readonly cwd: string
  /** True if a person uses both ends; otherwise no questions are asked. */
  readonly isTTY: boolean
  /** The width of the terminal in columns, if known. */
  readonly columns?: number | undefined
  /** The height of the terminal in lines, if known. */
  readonly rows?: number | undefined
  /** Calls a function when the terminal is resized; returns a function that removes the listener. */
  onResize?(resized: () => void): () => void
  /** Calls a function before a signal or an error ends the process; returns a function that removes the listener. */
  onTermination?(terminated: () => void): () => void
  /** Calls a function when the process has no pending events; returns a function that removes the listener. */
  onIdle?(idle: () => void): () => void
  readonly clock: Clock
  /** Fires at the first Ctrl-C: the drive stops, and the run stays stored. */
  readonly signal: AbortSignal
}

/** The source of typed text; a terminal has a raw mode, in which each key arrives at once. */
export type TypedInput = NodeJS.ReadableStream & { setRawMode?(isRaw: boolean): unknown }

/** A target for text. */
export interface TextSink {
  write(text: string): unknown
}

/** A function that colours a text, or returns it unchanged if colours are off. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string

/** Returns a paint function with colours only on a terminal, and not with `NO_COLOR` or a dumb terminal. */
export function createPaint({ isTTY, env }: CliIo): Paint {
  const isOn = isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  return (style, text) => (isOn ? styleText(style, text, { validateStream: false }) : text)
}
