import { loadPackage } from '../../../core/domain/load-package.ts'
import { McpError } from './mcp-error.ts'

/** Loads the client package on first use. Throws an `McpError` with the install command if it is missing. */
export const loadClient = () => load(() => import('@modelcontextprotocol/client'))

/** Loads the part of the client package that starts processes. */
export const loadStdio = () => load(() => import('@modelcontextprotocol/client/stdio'))

function load<Loaded>(loading: () => Promise<Loaded>): Promise<Loaded> {
  const fail = (text: string, options: ErrorOptions) => new McpError('package_missing', text, options)
  return loadPackage('@modelcontextprotocol/client', loading, fail)
}
