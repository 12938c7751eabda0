export { openaiChat } from './openai-chat/openai-chat.ts'
export type { OpenAIChatOptions } from './openai-chat/openai-chat.ts'
export type { OpenAICompat } from './openai-chat/compat.ts'
export type { ThinkingLevel } from './wire/model-options.ts'
