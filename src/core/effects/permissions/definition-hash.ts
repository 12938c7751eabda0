import { canonicalJson } from '../../domain/text/json.ts'
import { sha256 } from '../../domain/text/platform.ts'
import type { Tool } from '../../ports/tool.ts'
import { argumentsSchemaOf } from '../tools/json-schema-of.ts'

/** Returns the hash of a tool's description, schema and annotations. */
export function definitionHash({ name, description, input, annotations }: Tool): string {
  return sha256(canonicalJson([name, description, argumentsSchemaOf(input), annotations ?? null])).slice(0, 32)
}
