import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createGroq } from '@ai-sdk/groq'
import { createMistral } from '@ai-sdk/mistral'
import { createOpenAI } from '@ai-sdk/openai'
import { createAnthropic as createOlderAnthropic } from 'ai-sdk-6-anthropic'
import { createGoogleGenerativeAI as createOlderGoogle } from 'ai-sdk-6-google'
import { createGroq as createOlderGroq } from 'ai-sdk-6-groq'
import { createMistral as createOlderMistral } from 'ai-sdk-6-mistral'
import { createOpenAI as createOlderOpenAI } from 'ai-sdk-6-openai'
import { aiSdk } from '../../src/adapters/providers/ai-sdk/ai-sdk.ts'
import type { Model } from '../../src/core/ports/model.ts'
import { anthropicWire } from './anthropic-wire.ts'
import { chatWire } from './chat-wire.ts'
import { googleWire } from './google-wire.ts'
import { responsesWire } from './responses-wire.ts'
import type { Wire } from './wire.ts'

/** A package of the AI SDK for one vendor, and the wire it reads. */
export interface AiSdkPackage {
  readonly name: string
  readonly wire: Pick<Wire, 'call' | 'calls' | 'mediaType'>
  readonly make: (fetch: typeof globalThis.fetch) => Model
}

const model = 'any-model'

/** The server of this vendor tells usage with the last choice, never without one. */
const mistralWire = {
  call: chatWire.call,
  calls: chatWire.calls.filter((frame) => typeof frame !== 'string' || !frame.includes('"choices":[]')),
}

/** The packages of five vendors, of both versions of the specification. */
export const aiSdkPackages: readonly AiSdkPackage[] = [
  {
    name: '@ai-sdk/openai, Responses',
    wire: responsesWire,
    make: (fetch) => aiSdk(createOpenAI({ apiKey: 'key', fetch }).responses(model)),
  },
  {
    name: '@ai-sdk/openai, Responses, v3',
    wire: responsesWire,
    make: (fetch) => aiSdk(createOlderOpenAI({ apiKey: 'key', fetch }).responses(model)),
  },
  {
    name: '@ai-sdk/openai, Chat Completions',
    wire: chatWire,
    make: (fetch) => aiSdk(createOpenAI({ apiKey: 'key', fetch }).chat(model)),
  },
  {
    name: '@ai-sdk/openai, Chat Completions, v3',
    wire: chatWire,
    make: (fetch) => aiSdk(createOlderOpenAI({ apiKey: 'key', fetch }).chat(model)),
  },
  {
    name: '@ai-sdk/anthropic',
    wire: anthropicWire,
    make: (fetch) => aiSdk(createAnthropic({ apiKey: 'key', fetch })(model)),
  },
  {
    name: '@ai-sdk/anthropic, v3',
    wire: anthropicWire,
    make: (fetch) => aiSdk(createOlderAnthropic({ apiKey: 'key', fetch })(model)),
  },
  {
    name: '@ai-sdk/google',
    wire: googleWire,
    make: (fetch) => aiSdk(createGoogle({ apiKey: 'key', fetch })(model)),
  },
  {
    name: '@ai-sdk/google, v3',
    wire: googleWire,
    make: (fetch) => aiSdk(createOlderGoogle({ apiKey: 'key', fetch })(model)),
  },
  {
    name: '@ai-sdk/mistral',
    wire: mistralWire,
    make: (fetch) => aiSdk(createMistral({ apiKey: 'key', fetch })(model)),
  },
  {
    name: '@ai-sdk/mistral, v3',
    wire: mistralWire,
    make: (fetch) => aiSdk(createOlderMistral({ apiKey: 'key', fetch })(model)),
  },
  {
    name: '@ai-sdk/groq',
    wire: chatWire,
    make: (fetch) => aiSdk(createGroq({ apiKey: 'key', fetch })(model)),
  },
  {
    name: '@ai-sdk/groq, v3',
    wire: chatWire,
    make: (fetch) => aiSdk(createOlderGroq({ apiKey: 'key', fetch })(model)),
  },
]
