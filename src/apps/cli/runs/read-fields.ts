import type { Json, JsonObject } from '../../../index.ts'
import type { SuspendedCall } from '../setup/suspended-calls.ts'
import { CliError } from '../terminal/cli-error.ts'
import type { Dialog } from '../terminal/dialog.ts'
import { oneLine } from '../terminal/safe-text.ts'
import { readTyped } from './read-value.ts'

/** The maximum number of fields to ask for one by one; a larger object is asked for as JSON. */
const mostFields = 30

interface Field {
  readonly name: string
  readonly schema: JsonObject
  readonly isRequired: boolean
}

/**
 * Asks for the value of a call until it is valid: an object field by field, any other value at once. Returns undefined
 * if the person leaves.
 */
export async function readAsked({ responseSchema = {} }: SuspendedCall, dialog: Dialog): Promise<Json | undefined> {
  const { type, properties, required } = responseSchema
  const fields = Object.entries(isObject(properties) ? properties : {})
  if (type !== 'object' || fields.length === 0 || fields.length > mostFields)
    return (await readField({ name: 'Value', schema: responseSchema, isRequired: true }, dialog))?.value
  dialog.print(`Value with the fields ${fields.map(([name]) => oneLine(name, 60)).join(', ')}:`)
  const given: [string, Json][] = []
  for (const [name, part] of fields) {
    const isRequired = Array.isArray(required) && required.includes(name)
    const field = await readField({ name, schema: isObject(part) ? part : {}, isRequired }, dialog)
    if (field === undefined) return undefined
    if (field.value !== undefined) given.push([name, field.value])
  }
  return Object.fromEntries(given)
}

/** Asks for one field; the value is undefined for an optional field that is left out. */
async function readField(
  { name, schema, isRequired }: Field,
  dialog: Dialog,
): Promise<{ readonly value: Json | undefined } | undefined> {
  const choices = Array.isArray(schema['enum']) ? schema['enum'] : []
  const kinds = choices.length > 0 ? choices : [schema['type'] ?? []].flat()
  const kind = kinds.map(wordOf).join(choices.length > 0 ? ', ' : ' or ')
  const hints = [kind, isRequired ? '' : 'Enter skips it'].filter((hint) => hint !== '').join('; ')
  for (;;) {
    const typed = await dialog.line(`${oneLine(name, 60)}${hints === '' ? '' : ` (${oneLine(hints, 200)})`}: `)
    if (typed === undefined) return undefined
    if (typed.trim() === '' && !isRequired) return { value: undefined }
    const chosen = choices.find((choice) => wordOf(choice) === typed.trim())
    if (chosen !== undefined) return { value: chosen }
    try {
      if (choices.length === 0) return { value: readTyped(typed, schema['type']) }
    } catch (error) {
      if (!(error instanceof CliError)) throw error
    }
    const wanted = choices.length > 0 ? 'one of' : /object|array/.test(kind) ? 'JSON' : 'a value of this type'
    dialog.print(`Not understood. Expected ${wanted}: ${oneLine(kind, 200)}`)
  }
}

function wordOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
