import { ErrorWithCode } from '../../../core/domain/text/error-with-code.ts'

/**
 * `package_missing`: an optional package is not installed. `bad_option`: an option is invalid. `unreachable`: no
 * connection. `bad_list`: the server's list of tools cannot be read. `unknown_tool`: the options name a tool that the
 * server does not have. `closed`: the toolset was closed.
 */
export type McpErrorCode = 'package_missing' | 'bad_option' | 'unreachable' | 'bad_list' | 'unknown_tool' | 'closed'

/** An error of an MCP server's tools; the message says what to do. */
export class McpError extends ErrorWithCode<McpErrorCode> {
  override readonly name = 'McpError'
}
