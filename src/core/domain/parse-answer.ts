import type { DecisionAction } from './decision.ts'

/** The meaning of a free-form answer. */
export interface ParsedAnswer {
  readonly action: DecisionAction
  readonly reason?: string
}

const resumeWords = new Set('true yes y ok approve approved allow accept confirm'.split(' '))

const cancelWords = new Set('false no n denied deny reject rejected cancel canceled cancelled abort aborted'.split(' '))

/**
 * Parses a person's or a program's answer to an approval, a permission request or an interrupted call. Returns
 * undefined for an answer that is neither a clear yes nor a clear no. If an object says both, the no counts. An object
 * with `granted` is neither; pass the names to `approve`.
 */
export function parseAnswer(value: unknown): ParsedAnswer | undefined {
  if (typeof value === 'boolean') return { action: value ? 'resume' : 'cancel' }
  if (typeof value === 'string') return fromWord(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const fields = Object.entries(value).map(([key, field]): Field => [normalize(key), field])
  if (fields.some(([key]) => key === 'granted')) return undefined
  const action = fields.some(saysCancel) ? 'cancel' : fields.some(saysResume) ? 'resume' : undefined
  if (action === undefined) return undefined
  const reason = reasonOf(fields)
  return reason === undefined ? { action } : { action, reason }
}

type Field = readonly [key: string, value: unknown]

function fromWord(text: string): ParsedAnswer | undefined {
  const word = normalize(text)
  if (resumeWords.has(word)) return { action: 'resume' }
  return cancelWords.has(word) ? { action: 'cancel' } : undefined
}

function saysResume([key, value]: Field): boolean {
  return key === 'approved' && value === true
}

function saysCancel([key, value]: Field): boolean {
  if (key === 'approved' && value === false) return true
  if (cancelWords.has(key) && value === true) return true
  return (
    ['status', 'decision', 'action'].includes(key) && typeof value === 'string' && cancelWords.has(normalize(value))
  )
}

function reasonOf(fields: readonly Field[]): string | undefined {
  return ['reason', 'message', 'error']
    .map((key) => fields.find(([name]) => name === key)?.[1])
    .filter((text) => typeof text === 'string')
    .find((text) => text.trim() !== '')
}

function normalize(text: string): string {
  return text.trim().toLowerCase()
}
