import { loadPackage } from '../../core/domain/load-package.ts'
import { ServeMcpError } from './serve-error.ts'

/** Loads the package of the MCP server on first use. If it is missing, the error has the install command. */
export const loadServer = () => loaded('@modelcontextprotocol/server', () => import('@modelcontextprotocol/server'))

/** The part of the server package for standard input and output. */
export const loadStdioServer = () =>
  loaded('@modelcontextprotocol/server', () => import('@modelcontextprotocol/server/stdio'))

/** Loads the server package with its listener for Node. */
export const loadNodeServer = () => loaded('@modelcontextprotocol/node', () => import('@modelcontextprotocol/node'))

function loaded<T>(name: string, load: () => Promise<T>): Promise<T> {
  return loadPackage(name, load, (text, options) => new ServeMcpError('package_missing', text, options))
}
