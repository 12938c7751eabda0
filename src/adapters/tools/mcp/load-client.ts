import { McpError } from './mcp-error.ts'

/** The client package; loaded on first use, and where it is missing an `McpError` says how to install it. */
export async function loadClient() {
  try {
    return await import('@modelcontextprotocol/client')
  } catch (cause) {
    throw missing(cause)
  }
}

/** The part of the client package that starts processes. */
export async function loadStdio() {
  try {
    return await import('@modelcontextprotocol/client/stdio')
  } catch (cause) {
    throw missing(cause)
  }
}

function missing(cause: unknown): McpError {
  const name = '@modelcontextprotocol/client'
  const text = `The package ${name} could not be loaded. It is an optional peer dependency: npm install ${name}`
  return new McpError('package_missing', text, { cause })
}
