export { mcpToolset } from './mcp/mcp-toolset.ts'
export { McpError, type McpErrorCode } from './mcp/mcp-error.ts'
export type {
  McpHttpOptions,
  McpOAuthProvider,
  McpOptions,
  McpProcessOptions,
  McpReconnectOptions,
  McpSharedOptions,
  McpTokenSource,
  McpToolRules,
} from './mcp/mcp-options.ts'
