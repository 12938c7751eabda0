export { anthropic } from './anthropic/anthropic.ts'
export type { AnthropicOptions } from './anthropic/anthropic.ts'
export type { CacheMarks, ThinkingLevel } from './wire/model-options.ts'
