import { isRecord } from '../domain/text/json.ts'
import { TranscriptError } from './transcript-error.ts'

/** The format of messages: ours, OpenAI's chat completions, Anthropic's, and the AI SDK's two message lists. */
export type TranscriptFormat = 'statewright' | 'openai-chat' | 'anthropic' | 'ai-sdk' | 'ai-sdk-ui'

/** The names of all formats. */
export const transcriptFormats: readonly TranscriptFormat[] = [
  'statewright',
  'openai-chat',
  'anthropic',
  'ai-sdk',
  'ai-sdk-ui',
]

/** Block types that only one format has. */
const blockTypes: Readonly<Record<string, TranscriptFormat>> = {
  toolCall: 'statewright',
  image_url: 'openai-chat',
  input_audio: 'openai-chat',
  refusal: 'openai-chat',
  tool_use: 'anthropic',
  tool_result: 'anthropic',
  redacted_thinking: 'anthropic',
  document: 'anthropic',
  server_tool_use: 'anthropic',
  'tool-call': 'ai-sdk',
  'tool-result': 'ai-sdk',
  reasoning: 'ai-sdk',
}

/** Returns the format of messages; plain texts count as OpenAI's. Throws `unknown_format` for marks of several. */
export function formatOf(messages: readonly unknown[]): TranscriptFormat {
  const found = new Map<TranscriptFormat, number>()
  for (const [at, message] of messages.entries()) {
    for (const format of marksOf(message)) if (!found.has(format)) found.set(format, at)
  }
  if (found.size > 1) {
    const marks = [...found].map(([format, at]) => `${format} (message ${at})`)
    const wish = `Name one in the option format: ${transcriptFormats.join(', ')}.`
    throw new TranscriptError('unknown_format', `The messages look like ${marks.join(' and ')}. ${wish}`)
  }
  const [format = 'openai-chat'] = found.keys()
  return format
}

function marksOf(message: unknown): readonly TranscriptFormat[] {
  if (!isRecord(message)) return []
  const { role, content, parts } = message
  if (Array.isArray(parts)) return ['ai-sdk-ui']
  if (role === 'toolResult' || role === 'extension') return ['statewright']
  if (role === 'developer' || role === 'function' || 'tool_calls' in message || 'tool_call_id' in message)
    return ['openai-chat']
  if (role === 'tool') return Array.isArray(content) ? ['ai-sdk'] : ['openai-chat']
  const own: readonly TranscriptFormat[] = 'timestamp' in message && 'content' in message ? ['statewright'] : []
  return Array.isArray(content) ? [...own, ...content.flatMap(markOf)] : own
}

function markOf(block: unknown): readonly TranscriptFormat[] {
  if (!isRecord(block) || typeof block['type'] !== 'string') return []
  const { type } = block
  const known = Object.hasOwn(blockTypes, type) ? blockTypes[type] : undefined
  if (known !== undefined) return [known]
  if (type === 'image') {
    if ('source' in block) return ['anthropic']
    return 'mimeType' in block ? ['statewright'] : ['ai-sdk']
  }
  if (type === 'file') return ['file' in block ? 'openai-chat' : 'ai-sdk']
  // Our thinking and Anthropic's have the same type; only Anthropic's always has a signature.
  if (type === 'thinking') return 'providerData' in block || !('signature' in block) ? ['statewright'] : []
  return []
}
