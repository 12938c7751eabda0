export { bedrock } from './bedrock/bedrock.ts'
export type { AwsKeys, BedrockOptions } from './bedrock/bedrock.ts'
