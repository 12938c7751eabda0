import { having } from '../../core/domain/text/option-shape.ts'
import { isRecord } from '../../core/domain/text/json.ts'
import type { Recording } from './recording.ts'

/** The program that a recording's test belongs to. */
export interface RecordingPlace {
  /** The module of the agent's options, as the test file imports it. */
  readonly module: string
  /** The name under which the module exports them. */
  readonly exported: string
}

/** Returns the text of a Vitest file that plays a recording. */
export function recordingFile(recording: Recording, place: RecordingPlace): string {
  having('a recording')(recording, { field: 'recording', owner: 'recordingFile' })
  having('{ module, exported }')(place, { field: 'place', owner: 'recordingFile' })
  const { module, exported } = place
  return `import { describe, test } from 'vitest'
import { testRecording } from 'statewright/testing'
import { ${exported} } from ${quoted(module)}

testRecording(
  ${exported},
  ${written(recording, '  ')},
  { describe, test },
)
`
}

const width = 100

/** Writes plain JSON as a TypeScript literal, on one line if it is short. */
export function written(value: unknown, indent: string): string {
  const flat = inlineJson(value)
  if (flat.length + indent.length <= width || typeof value !== 'object' || value === null) return flat
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item: unknown) => written(item, deeper))
    : Object.entries(value).map(([key, item]) => `${keyOf(key)}: ${written(item, deeper)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map((part) => `${deeper}${part},\n`).join('')}${indent}${close}`
}

export function inlineJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, item]) => `${keyOf(key)}: ${inlineJson(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

function keyOf(key: string): string {
  if (key === '__proto__') return `['__proto__']`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : quoted(key)
}

/** Writes a text in single quotes. JSON escapes control characters; line separators are escaped too. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return `'${escaped}'`
}
