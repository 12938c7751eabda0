export { anthropic, type AnthropicOptions } from './anthropic/anthropic.ts'
