import { ErrorWithCode } from './text/error-with-code.ts'

/** A request that a server has refused, or that did not reach it. The code is the server's, such as `run_unknown`. */
export class RequestError extends ErrorWithCode {
  override readonly name = 'RequestError'
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number

  constructor(status: number, code: string, message: string, cause?: unknown) {
    super(code, message, { cause })
    this.status = status
  }
}

/** Returns the response if it is a success; otherwise throws a `RequestError`, also if there is no response. */
export async function checkedResponse(asked: Promise<Response>): Promise<Response> {
  const response = await asked.catch((cause: unknown) => {
    throw new RequestError(0, 'unreachable', 'The server could not be reached.', cause)
  })
  if (response.ok) return response
  const body = (await response.json().catch(() => undefined)) as { code?: unknown; message?: unknown } | undefined
  const { code, message } = body ?? {}
  throw new RequestError(
    response.status,
    typeof code === 'string' ? code : 'refused',
    typeof message === 'string' ? message : `The server has refused the request with the status ${response.status}.`,
  )
}
