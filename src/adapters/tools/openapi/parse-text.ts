import { parse } from 'yaml'
import { isRecord } from '../../../core/domain/text/json.ts'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import { OpenApiError } from './openapi-error.ts'

/** Aliases a YAML document may expand to; a bomb of aliases is refused. */
const mostAliases = 100

/** Returns a document as data: JSON if it begins with `{` or `[`, otherwise YAML. `place` names it in errors. */
export function parseText(text: string, place: string): Readonly<Record<string, unknown>> {
  const isJson = /^[\uFEFF\s]*[{[]/.test(text)
  const parsed = isJson ? parsedJson(text, place) : parsedYaml(text, place)
  if (isRecord(parsed)) return parsed
  throw bad(`${place} is ${isJson ? 'JSON' : 'YAML'}, but not an object. Expected an OpenAPI document.`)
}

function parsedJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw bad(`${place} looks like JSON, but cannot be parsed: ${thrownText(cause)}`, cause)
  }
}

function parsedYaml(text: string, place: string): unknown {
  try {
    return parse(text, {
      maxAliasCount: mostAliases,
      logLevel: 'error',
      prettyErrors: false,
      stringKeys: true,
      // Each key would be compared with every one before it. As in JSON, the last of two counts.
      uniqueKeys: false,
    })
  } catch (cause) {
    const reason = cause instanceof RangeError ? 'it is nested too deeply' : thrownText(cause)
    throw bad(`${place} is neither JSON nor YAML that can be read: ${reason}`, cause)
  }
}

function bad(message: string, cause?: unknown): OpenApiError {
  return new OpenApiError('bad_document', message, { cause })
}
