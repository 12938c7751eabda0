export { azure, type AzureOptions } from './openai-responses/azure.ts'
