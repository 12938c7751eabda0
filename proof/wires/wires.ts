import { aiSdkWire, olderAiSdkWire } from './ai-sdk-wire.ts'
import { anthropicWire } from './anthropic-wire.ts'
import { bedrockWire } from './bedrock-wire.ts'
import { chatWire } from './chat-wire.ts'
import { googleWire, vertexWire } from './google-wire.ts'
import { azureWire, responsesWire } from './responses-wire.ts'
import type { Wire } from './wire.ts'

/** Every wire there is. */
export const wires: readonly Wire[] = [
  anthropicWire,
  chatWire,
  responsesWire,
  azureWire,
  googleWire,
  vertexWire,
  bedrockWire,
  aiSdkWire,
  olderAiSdkWire,
]
