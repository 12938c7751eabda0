import { ErrorWithCode } from '../../../core/domain/text/error-with-code.ts'

/**
 * `bad_option`: an option is invalid. `unreachable`: the document could not be read. `bad_document`: it is not OpenAPI
 * 3.0 or 3.1. `external_ref`: it refers to another document that is not allowed. `no_server`: the address of the
 * operations is unknown. `unknown_operation`: the options name an operation that the document does not have. `closed`:
 * the set was closed.
 */
export type OpenApiErrorCode =
  | 'bad_option'
  | 'unreachable'
  | 'bad_document'
  | 'external_ref'
  | 'no_server'
  | 'unknown_operation'
  | 'closed'

/** An error of an OpenAPI toolset; the message says what to do. */
export class OpenApiError extends ErrorWithCode<OpenApiErrorCode> {
  override readonly name = 'OpenApiError'
}
