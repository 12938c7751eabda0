import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A program that speaks MCP on its standard input and output. */
export interface ServerProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** The server with a tool of every kind. */
export function everythingServer(): ServerProgram {
  return program('server-everything', ['stdio'])
}

/** The server of one folder's files. */
export function filesystemServer(root: string): ServerProgram {
  return program('server-filesystem', [root])
}

/** The server of a knowledge graph in one file. */
export function memoryServer(file: string): ServerProgram {
  return { ...program('server-memory', []), env: { MEMORY_FILE_PATH: file } }
}

function program(name: string, args: readonly string[]): ServerProgram {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`)
  return { command: process.execPath, args: [join(dirname(manifest), 'dist/index.js'), ...args] }
}
