import { styleText } from 'node:util'
import type { Clock } from '../index.ts'

/** Where the command line reads and writes, handed in so that it runs inside a test as in a terminal. */
export interface CliIo {
  readonly stdout: TextSink
  readonly stderr: TextSink
  /** Lines a person types; read only on a terminal. */
  readonly stdin: NodeJS.ReadableStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the working folder. */
  readonly cwd: string
  /** True where a person sits at both ends: nothing is ever asked without it. */
  readonly isTTY: boolean
  /** Width of the terminal, where known. */
  readonly columns?: number | undefined
  /** Height of the terminal in lines, where known. */
  readonly rows?: number | undefined
  readonly clock: Clock
  /** Fires at the first Ctrl-C: the drive stops, the run stays stored. */
  readonly signal: AbortSignal
}

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
