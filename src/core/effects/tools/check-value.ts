import type { Formats } from '../../domain/json-schema/checkable-schema.ts'
import { toPlainJson } from '../../domain/text/json.ts'
import { thrownText } from '../../domain/text/thrown-text.ts'
import type { Schema, SchemaIssue } from '../../ports/schema.ts'
import type * as CheckJsonSchema from './check-json-schema.ts'
import type { Checked } from './check-json-schema.ts'
import { isStandard } from './json-schema-of.ts'

let loaded: typeof CheckJsonSchema | undefined

/**
 * Validates a copy of a value. Returns the schema's output, or one line per issue; an exception of the schema is an
 * issue.
 */
export async function checkValue(schema: Schema, value: unknown, formats?: Formats): Promise<Checked> {
  const copy = toPlainJson(value)
  try {
    if (!isStandard(schema)) {
      // Loaded at first use: schemas of libraries check by themselves.
      loaded ??= await import('./check-json-schema.ts')
      return loaded.checkJsonSchema(schema, copy, formats)
    }
    const result = await schema['~standard'].validate(copy)
    if (result.issues === undefined) return { value: result.value }
    return { issues: result.issues.map(describe).join('\n') }
  } catch (error) {
    return { issues: `- The check itself failed: ${thrownText(error)}`, hasThrown: true }
  }
}

function describe({ path, message }: SchemaIssue): string {
  const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? `- ${message}` : `- ${keys.join('.')}: ${message}`
}
