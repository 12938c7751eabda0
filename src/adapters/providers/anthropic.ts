export { anthropic } from './anthropic/anthropic.ts'
export type { AnthropicOptions } from './anthropic/anthropic.ts'
