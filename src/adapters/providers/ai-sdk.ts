export { aiSdk } from './ai-sdk/ai-sdk.ts'
export type { AiSdkOptions } from './ai-sdk/ai-sdk.ts'
