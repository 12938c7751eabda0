export { azure } from './openai-responses/azure.ts'
export type { AzureOptions } from './openai-responses/azure.ts'
