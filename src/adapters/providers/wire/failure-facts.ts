import { jsonIn } from '../../../core/domain/text/parse-json.ts'
import { isRecord } from '../../../core/domain/text/json.ts'

/** The HTTP status of every name that a wire has for a failure, in codes, types, statuses and exceptions. */
const statusOfName: ReadonlyMap<unknown, number> = new Map(
  Object.entries({
    400: [
      'invalid_request_error',
      'context_length_exceeded',
      'INVALID_ARGUMENT',
      'FAILED_PRECONDITION',
      'ValidationException',
      'invalid_prompt',
      'invalid_image',
      'invalid_image_format',
      'invalid_base64_image',
      'image_parse_error',
      'image_too_large',
      'image_too_small',
      'image_file_too_large',
      'unsupported_image_media_type',
      'empty_image_file',
    ],
    401: [
      'authentication_error',
      'invalid_api_key',
      'UNAUTHENTICATED',
      'API_KEY_INVALID',
      'ExpiredTokenException',
      'UnrecognizedClientException',
      'CredentialsProviderError',
    ],
    402: ['billing_error', 'insufficient_quota', 'billing_hard_limit_reached'],
    403: ['permission_error', 'PERMISSION_DENIED', 'AccessDeniedException'],
    404: ['not_found_error', 'NOT_FOUND', 'ResourceNotFoundException'],
    408: ['ModelTimeoutException'],
    413: ['request_too_large'],
    429: [
      'rate_limit_error',
      'rate_limit_exceeded',
      'RESOURCE_EXHAUSTED',
      'ThrottlingException',
      'ModelNotReadyException',
    ],
    500: [
      'api_error',
      'server_error',
      'internal_error',
      'internal_server_error',
      'INTERNAL',
      'InternalServerException',
      'ModelStreamErrorException',
    ],
    503: ['UNAVAILABLE', 'ServiceUnavailableException'],
    504: ['timeout_error', 'DEADLINE_EXCEEDED'],
    529: ['overloaded', 'overloaded_error'],
  }).flatMap(([status, names]) => names.map((name) => [name, Number(status)] as const)),
)

/** Returns the HTTP status for the name of a failure. */
export function statusNamed(name: unknown): number | undefined {
  return typeof name === 'string'
    ? (statusOfName.get(`${name.slice(0, 1).toUpperCase()}${name.slice(1)}`) ?? statusOfName.get(name))
    : undefined
}

/** The maximum depth at which an error is searched for in a server's data. */
const mostDepth = 8

/** Returns the HTTP status of an error event from its numeric code, its code, its status or its type. */
export function statusIn(body: unknown, depth = 0): number | undefined {
  if (!isRecord(body) || depth > mostDepth) return undefined
  if (isRecord(body['error'])) return statusIn(body['error'], depth + 1)
  const code = Number(body['code'] ?? body['status'])
  if (code >= 400 && code < 600) return code
  return statusNamed(body['code']) ?? statusNamed(body['status']) ?? statusNamed(body['type'])
}

/** Returns the message of a body, or the body itself. */
export function textIn(body: string): string {
  return messageIn(jsonIn(body)) ?? body
}

/** Returns a text on one line, cut to a readable length. */
export function shortText(text: string): string {
  const line = text.slice(0, 10_000).replaceAll(/\s+/g, ' ').trim()
  return line.length > 300 || text.length > 10_000 ? `${line.slice(0, 300)}…` : line
}

function messageIn(body: unknown, depth = 0): string | undefined {
  if (depth > mostDepth) return undefined
  if (Array.isArray(body)) return messageIn(body[0], depth + 1)
  if (!isRecord(body)) return undefined
  const text = messageIn(body['error'], depth + 1) ?? body['message'] ?? body['detail'] ?? body['error']
  return typeof text === 'string' ? text : undefined
}

/**
 * Returns the milliseconds that a server asks to wait: `retry-after-ms`, else `retry-after` in seconds or as an HTTP
 * date, else the body's `retryDelay`. `now` is in Unix milliseconds; a date in the past gives 0, and an unreadable
 * value undefined.
 */
export function retryAfter(headers: Headers, body: string, now: number): number | undefined {
  const milliseconds = amountIn(headers.get('retry-after-ms'))
  if (milliseconds !== undefined) return Math.round(milliseconds)
  const value = headers.get('retry-after')
  const seconds = amountIn(value)
  if (seconds !== undefined) return Math.round(seconds * 1000)
  const date = value === null ? Number.NaN : Date.parse(value)
  return Number.isNaN(date) ? retryDelayIn(jsonIn(body)) : Math.max(0, date - now)
}

function amountIn(value: string | null): number | undefined {
  return value !== null && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : undefined
}

/** Returns the delay of Google's RetryInfo, which is one of the details of an error and has seconds: `"34.5s"`. */
export function retryDelayIn(body: unknown, depth = 0): number | undefined {
  if (depth > mostDepth) return undefined
  if (Array.isArray(body)) return body.map((part) => retryDelayIn(part, depth + 1)).find((delay) => delay !== undefined)
  if (!isRecord(body)) return undefined
  const delay = body['retryDelay'] ?? body['retry_after']
  const seconds = amountIn(
    typeof delay === 'number' ? String(delay) : typeof delay === 'string' ? delay.replace(/s$/, '') : null,
  )
  if (seconds !== undefined) return Math.round(seconds * 1000)
  return retryDelayIn(body['error'], depth + 1) ?? retryDelayIn(body['details'], depth + 1)
}
