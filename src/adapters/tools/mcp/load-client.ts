import { McpError } from './mcp-error.ts'

/** Loads the client package on first use. Throws an `McpError` with the install command if it is missing. */
export const loadClient = () => load(() => import('@modelcontextprotocol/client'))

/** Loads the part of the client package that starts processes. */
export const loadStdio = () => load(() => import('@modelcontextprotocol/client/stdio'))

async function load<Loaded>(loading: () => Promise<Loaded>): Promise<Loaded> {
  try {
    return await loading()
  } catch (cause) {
    const name = '@modelcontextprotocol/client'
    const text = `The package ${name} could not be loaded. It is an optional peer dependency: npm install ${name}`
    throw new McpError('package_missing', text, { cause })
  }
}
