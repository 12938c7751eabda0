import { constant, constantFrom, oneof, type Arbitrary } from 'fast-check'
import type { Said } from '../../src/testing/crash/said.ts'

/** The input filters' verdict on a text: nothing, a warning, a rejection. */
export type Tone = 'plain' | 'warned' | 'refused'

/** Tones of what is said; where nobody filters, they change nothing. */
export const tones: Arbitrary<Tone> = oneof(
  { weight: 3, arbitrary: constant<Tone>('plain') },
  { weight: 2, arbitrary: constantFrom<Tone[]>('warned', 'refused') },
)

/** A prompt, or what was said to a run that took it. */
export interface Spoken {
  readonly text: string
  readonly tone: Tone
}

/** The messages to a run, by method. */
export type SpokenTo = Said & Spoken

/** The warning filter's text. */
export const warning = 'Mind it.'

/** The text as a transcript holds it; undefined where no transcript may. */
export function heardAs({ text, tone }: Spoken, isFiltered: boolean): string | undefined {
  if (!isFiltered || tone === 'plain') return text
  return tone === 'warned' ? `${text}[Warning: ${warning}]` : undefined
}

/** The text of a tone, which tells the filters of it. */
export function textIn(tone: Tone, words: string): string {
  return tone === 'plain' ? words : `${words} ${tone}`
}

/** The prompt of a run, told by its number, from 1. */
export function promptOf(number: number, tone: Tone): Spoken {
  return { text: textIn(tone, `Prompt ${number}`), tone }
}

/** The number of the run that a text is the prompt of; undefined for other texts. */
export function promptNumber(text: string): number | undefined {
  const [, number] = /^Prompt (\d+)/.exec(text) ?? []
  return number === undefined ? undefined : Number(number)
}
