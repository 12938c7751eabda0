import { parseJson } from '../../core/domain/text/parse-json.ts'
import { checkOptions, type OptionShape } from '../../core/domain/text/option-shape.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { HttpError } from './http-error.ts'

/**
 * Returns the JSON object in a body, with checked fields. An oversized body is not read to its end. An empty body is an
 * empty object.
 */
export async function readBody<Body>(
  request: Request,
  what: string,
  shape: OptionShape<Body>,
  mostBytes: number,
): Promise<Body> {
  const value = await readJson(request, mostBytes)
  checkOptions<Body>(what, value, shape)
  return value as Body
}

/** Returns the JSON of a body, read up to the limit. An empty body is an empty object. */
export async function readJson(request: Request, mostBytes: number): Promise<unknown> {
  const text = await readText(request, mostBytes)
  if (text.trim() === '') return {}
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new HttpError(415, 'not_json', 'The body is refused. Expected content-type: application/json.')
  }
  try {
    return parseJson(text)
  } catch (error) {
    throw new HttpError(400, 'bad_json', `The body is not accepted as JSON: ${thrownText(error).slice(0, 200)}.`)
  }
}

async function readText({ body, headers }: Request, mostBytes: number): Promise<string> {
  const told = Number(headers.get('content-length') ?? 0)
  if (told > mostBytes) throw tooLong(mostBytes)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const parts: string[] = []
  let bytes = 0
  try {
    // Leaving the loop cancels the rest of the body.
    for await (const part of body ?? []) {
      bytes += part.byteLength
      if (bytes > mostBytes) throw tooLong(mostBytes)
      parts.push(decoder.decode(part, { stream: true }))
    }
    parts.push(decoder.decode())
  } catch (error) {
    if (error instanceof HttpError) throw error
    throw new HttpError(400, 'bad_body', 'The body could not be read as UTF-8.')
  }
  return parts.join('')
}

function tooLong(mostBytes: number): HttpError {
  return new HttpError(413, 'body_too_long', `The body is too long. Expected at most ${mostBytes} bytes.`)
}
