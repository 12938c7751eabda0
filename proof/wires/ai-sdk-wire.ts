import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createOpenAICompatible as createOlder } from 'ai-sdk-6-openai-compatible'
import { aiSdk } from '../../src/adapters/providers/ai-sdk/ai-sdk.ts'
import { chatWire } from './chat-wire.ts'
import { now, type Wire } from './wire.ts'

/** A language model of the AI SDK, whose own wire is Chat Completions. */
export const aiSdkWire: Wire = {
  ...chatWire,
  name: 'ai-sdk',
  provider: 'ai-sdk-local-chat',
  keyVariable: 'none',
  terminal: 'its finish part',
  make: (url, options = {}) => {
    const { apiKey = 'key', fetch = globalThis.fetch, credentials: _none, ...own } = options
    const local = createOpenAICompatible({ name: 'local', baseURL: url, apiKey, fetch, includeUsage: true })
    return aiSdk(local('gpt-6-luna'), { now: () => now, ...own })
  },
  keySource: 'the key of the language model',
  cutMessage: 'ended without a finish reason',
  excused: {
    'slow drip': 'the package has a fetch of its own: bytes are not seen, only what they come to',
    'cache marks': 'the package has no common word for marks',
    'content after the end': 'the package tells the end only once the stream is over',
    'call without a name': 'the package drops it',
    'cut after the end': 'the package tells the end only once the stream is over',
    'kept open after the end': 'the package tells the end only once the stream is over',
    'page with status 200': 'the package reads a page for an empty stream: its failure is another, network',
    'error with status 200': 'the package reads a page for an empty stream: its failure is another, network',
    'event without end': 'the package has a fetch of its own: bytes are not seen, only what they come to',
    redirect: "the package has a fetch of its own: what it follows is the language model's choice",
    'missing key': "the key is the language model's own",
  },
}

/** The same of the version before. */
export const olderAiSdkWire: Wire = {
  ...aiSdkWire,
  name: 'ai-sdk-v3',
  make: (url, options = {}) => {
    const { apiKey = 'key', fetch = globalThis.fetch, credentials: _none, ...own } = options
    const local = createOlder({ name: 'local', baseURL: url, apiKey, fetch, includeUsage: true })
    return aiSdk(local('gpt-6-luna'), { now: () => now, ...own })
  },
}
