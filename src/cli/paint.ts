import { styleText } from 'node:util'
import type { CliIo } from './cli-io.ts'

/** Colours a text; gives it back as it is where colours are off. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', text: string) => string

/** Colours on a terminal only, and not where `NO_COLOR` is set or the terminal is dumb. */
export function createPaint({ isTTY, env }: CliIo): Paint {
  const isOn = isTTY && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  return (style, text) => (isOn ? styleText(style, text, { validateStream: false }) : text)
}
