export { aiSdk, type AiSdkOptions } from './ai-sdk/ai-sdk.ts'
