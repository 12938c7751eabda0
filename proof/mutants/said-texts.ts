import type { SaidPlace } from '../../src/core/domain/payload.ts'

const texts: string[] = []

/** The row in which a text stands that a scenario says. */
export function rowOf(text: string): number {
  if (!texts.includes(text)) texts.push(text)
  return texts.indexOf(text)
}

/** The text that stands in a row. */
export function textAt({ inboxId }: SaidPlace): string {
  return texts[inboxId] ?? ''
}
