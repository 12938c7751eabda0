import { google } from '../../src/adapters/providers/google/google.ts'
import { vertex } from '../../src/adapters/providers/google/vertex.ts'
import { dataFrame, now, type Wire } from './wire.ts'

/** A chunk of generateContent with one candidate. */
export function googleChunk(
  parts: readonly unknown[],
  finishReason?: string,
  usage?: Readonly<Record<string, number>>,
): string {
  return dataFrame({
    candidates: [
      { content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }), index: 0 },
    ],
    ...(usage === undefined ? {} : { usageMetadata: usage }),
    modelVersion: 'gemini-3.8-flash-001',
    responseId: 'r1',
  })
}

const statusOf = {
  overloaded: [503, 'UNAVAILABLE'],
  rateLimit: [429, 'RESOURCE_EXHAUSTED'],
  auth: [401, 'UNAUTHENTICATED'],
  overflow: [400, 'INVALID_ARGUMENT'],
  internal: [500, 'INTERNAL'],
  unknown: [418, 'SOMETHING_NEW'],
} as const

function weatherCall(city: string, signature?: string): string {
  const functionCall = { name: 'weather', args: { city } }
  return googleChunk([{ functionCall, ...(signature === undefined ? {} : { thoughtSignature: signature }) }])
}

/** The Gemini wire. */
export const googleWire: Wire = {
  name: 'google',
  provider: 'google',
  keyVariable: 'GEMINI_API_KEY',
  terminal: 'a finishReason',
  make: (url, options) => google('gemini-3.8-flash', { apiKey: 'key', baseURL: url, now: () => now, ...options }),
  opening: [googleChunk([{ text: 'Hel' }])],
  closing: [
    googleChunk([{ text: 'lo' }], 'STOP', { promptTokenCount: 5, candidatesTokenCount: 2, totalTokenCount: 7 }),
  ],
  calls: [
    googleChunk([{ text: 'Two cities.', thought: true }], undefined, { promptTokenCount: 13, thoughtsTokenCount: 4 }),
    googleChunk([{ text: 'Looking.' }]),
    weatherCall('Oslo', 'sealed'),
    weatherCall('Rome'),
    googleChunk([], 'STOP', {
      promptTokenCount: 13,
      cachedContentTokenCount: 3,
      thoughtsTokenCount: 4,
      candidatesTokenCount: 16,
      totalTokenCount: 33,
    }),
  ],
  answer: (text) => [googleChunk([{ text }]), googleChunk([], 'STOP')],
  call: (text, id, name = 'weather') => [
    googleChunk([
      {
        functionCall: {
          ...(id === undefined ? {} : { id }),
          name,
          ...(text === '' ? {} : { args: JSON.parse(text) as unknown }),
        },
      },
    ]),
    googleChunk([], 'STOP'),
  ],
  cutOff: [googleChunk([{ text: 'Hel' }]), googleChunk([], 'MAX_TOKENS')],
  empty: [googleChunk([], 'STOP')],
  unknown: googleChunk([{ hologram: { depth: 3 } }]),
  excused: {
    'cache marks': 'the provider caches by itself: the wire has no marks',
    'content after the end': 'a reason to stop is no end: gateways send one with every chunk',
    'malformed arguments': 'arguments come as an object, never as text',
  },
  usage: { input: 10, output: 20, cacheRead: 3, cacheWrite: 0, totalTokens: 33 },
  misshapen: '{"candidates":[{"content":{"parts":5}}]}',
  raw: (data) => `data: ${data}\n\n`,
  error: (name, message) => {
    const [code, status] = statusOf[name]
    return dataFrame({ error: { code, status, message } })
  },
}

/** The same at Vertex. */
export const vertexWire: Wire = {
  ...googleWire,
  name: 'vertex',
  provider: 'vertex',
  keyVariable: 'VERTEX_ACCESS_TOKEN',
  make: (url, options) =>
    vertex('gemini-3.8-flash', {
      apiKey: 'key',
      baseURL: url,
      project: 'p',
      location: 'eu',
      now: () => now,
      ...options,
    }),
}
