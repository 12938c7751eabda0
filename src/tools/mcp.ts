export { mcpToolset } from './mcp/mcp-toolset.ts'
export { McpError } from './mcp/mcp-error.ts'
export type { McpErrorCode } from './mcp/mcp-error.ts'
export type {
  McpHttpOptions,
  McpOptions,
  McpProcessOptions,
  McpReconnectOptions,
  McpSharedOptions,
  McpToolRules,
} from './mcp/mcp-options.ts'
export type { Toolset } from '../ports/toolset.ts'
