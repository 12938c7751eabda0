import { isRecord, type Json, type JsonObject } from '../../domain/text/json.ts'
import type { RunDetails } from '../../domain/run-details.ts'
import { parentSubject } from '../../domain/service-event.ts'
import { toolNameOf } from '../../domain/tool-name.ts'
import type { Schema, SchemaResult, StandardSchema } from '../../ports/schema.ts'
import type { ServiceContract } from '../../ports/service-contract.ts'
import type { Tool } from '../../ports/tool.ts'
import type { Checked } from './check-json-schema.ts'
import { checkValue } from './check-value.ts'
import { isStandard, jsonSchemaOf } from './json-schema-of.ts'
import { isToolResult } from './tool-result.ts'

/** Returns a service as a tool for models. Its calls are not executed, but leave as events. */
export function serviceTool(service: ServiceContract): Tool {
  const { type, description = `The service ${type}.`, accepts, emits } = service
  return {
    name: toolNameOf(type),
    sourceName: type,
    description,
    kind: 'service',
    effects: 'idempotent',
    input: shownInput(accepts),
    output: anyOf(Object.values(emits)),
    service,
    execute: () => {
      throw new Error(`The service ${type} cannot be called here: give the agent a store that keeps what leaves.`)
    },
  }
}

/** Returns true if a service accepts the subject of the calling run. */
export function hasParentSubject(accepts: Schema): boolean {
  const { properties } = jsonSchemaOf(accepts)
  return isRecord(properties) && Object.hasOwn(properties, parentSubject)
}

type Sender = Pick<RunDetails, 'subject'>

/**
 * Checks the arguments of a service call as they would be sent, with the run's subject instead of any value from the
 * model.
 */
export async function checkSent({ accepts }: ServiceContract, given: Json, { subject }: Sender): Promise<Checked> {
  if (!isRecord(given) || !hasParentSubject(accepts)) return checkValue(accepts, given)
  const checked = await checkValue(accepts, { ...given, [parentSubject]: subject })
  if (checked.issues === undefined) return { value: given }
  const isOfSubject = checked.issues.includes(parentSubject)
  return isOfSubject ? { ...checked, issues: `${checked.issues}\n${subjectNote}` } : checked
}

const subjectNote = `${parentSubject} is the subject of this run: it cannot be changed by other arguments.`

/** Returns the schema that a model sees, without the subject, which the engine adds. */
function shownInput(accepts: Schema): Schema {
  if (!hasParentSubject(accepts)) return accepts
  const json = jsonSchemaOf(accepts)
  const { [parentSubject]: _, ...properties } = isRecord(json['properties']) ? json['properties'] : {}
  const required = Array.isArray(json['required']) ? json['required'].filter((name) => name !== parentSubject) : []
  const shown = { ...json, properties, required } as JsonObject
  // A schema of a library checks its formats itself, and knows more spellings of them.
  const formats = isStandard(accepts) ? 'ignored' : 'checked'
  return schemaBy(shown, async (value) => {
    const { issues } = await checkValue(shown, value, formats)
    return issues === undefined ? { value } : { issues: [{ message: issues }] }
  })
}

/** Returns a schema for any of these, or for the result of a failed service. */
function anyOf(schemas: readonly Schema[]): Schema {
  return schemaBy({}, async (value) => {
    if (isToolResult(value) && value.status === 'error') return { value }
    const found: string[] = []
    for (const one of schemas) {
      const checked = await checkValue(one, value)
      if (checked.issues === undefined) return { value: checked.value }
      found.push(checked.issues)
    }
    return { issues: found.map((message) => ({ message })) }
  })
}

function schemaBy(json: JsonObject, validate: (value: unknown) => Promise<SchemaResult<unknown>>): StandardSchema {
  return { '~standard': { version: 1, vendor: 'statewright', validate, jsonSchema: { input: () => ({ ...json }) } } }
}
