export { bedrock, type AwsKeys, type BedrockOptions } from './bedrock/bedrock.ts'
