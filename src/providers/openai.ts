export { openaiChat } from './openai-chat.ts'
export type { OpenAIChatOptions } from './openai-chat.ts'
export type { OpenAICompat } from './openai-compat.ts'
