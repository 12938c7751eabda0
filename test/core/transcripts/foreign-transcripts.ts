import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'

/** Bytes of a picture, as far as anybody looks at them. */
export const png = 'iVBORw0KGgo='
const text = btoa('a,b')

/** Messages of OpenAI's chat completions, as its own package types them. */
export const openAi: readonly ChatCompletionMessageParam[] = [
  { role: 'developer', content: 'Be kind.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'file', file: { filename: 'a.csv', file_data: `data:text/csv;base64,${text}` } },
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${text}` } },
      { type: 'input_audio', input_audio: { data: png, format: 'mp3' } },
    ],
  },
  {
    role: 'assistant',
    content: 'Let me see.',
    tool_calls: [
      { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"n":1}' } },
      { id: 'c2', type: 'function', function: { name: 'look', arguments: '{"n":' } },
      { id: 'c3', type: 'custom', custom: { name: 'free', input: 'as it is' } },
    ],
  },
  { role: 'tool', tool_call_id: 'c2', content: 'second' },
  { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'first' }] },
  { role: 'tool', tool_call_id: 'nobody', content: 'lost' },
  { role: 'assistant', content: null, refusal: 'I will not.' },
]

/** Messages of Anthropic, as its own package types them. */
export const anthropic: readonly MessageParam[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a,b' } },
      { type: 'document', title: 'a.pdf', source: { type: 'url', url: 'https://example.org/a.pdf' } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_use', id: 'c1', name: 'look', input: { n: 1 } },
      { type: 'tool_use', id: 'c2', name: 'look', input: { n: 2 } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c2', content: 'broken', is_error: true },
      { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'first' }] },
      { type: 'text', text: 'And?' },
    ],
  },
  { role: 'assistant', content: 'A table.' },
]

/** A prompt of a language model of the AI SDK, as its own package types it. */
export const aiSdk: LanguageModelV4Prompt = [
  { role: 'system', content: 'Be kind.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
      { type: 'file', mediaType: 'text/csv', data: { type: 'text', text: 'a,b' } },
      { type: 'file', mediaType: 'application/pdf', filename: 'a.pdf', data: { type: 'data', data: text } },
    ],
  },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Let me see.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { n: 1 } },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'look', input: { n: 2 } },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'json', value: { found: true } } },
      { type: 'tool-result', toolCallId: 'c2', toolName: 'look', output: { type: 'error-text', value: 'broken' } },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'A table.' }] },
]

/** A `ModelMessage` list of the AI SDK. */
export const modelMessages = [
  {
    role: 'user',
    content: [
      { type: 'image', image: `data:image/png;base64,${png}` },
      { type: 'text', text: 'This?' },
    ],
  },
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {} }] },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'look',
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'seen' },
            { type: 'media', data: png, mediaType: 'image/png' },
          ],
        },
      },
    ],
  },
]

/** A `UIMessage` list of the AI SDK. */
export const uiMessages = [
  {
    id: '1',
    role: 'user',
    parts: [
      { type: 'text', text: 'Go' },
      { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${png}` },
    ],
  },
  {
    id: '2',
    role: 'assistant',
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm.', state: 'done' },
      { type: 'tool-look', toolCallId: 'c1', state: 'output-available', input: { n: 1 }, output: { found: true } },
      {
        type: 'dynamic-tool',
        toolName: 'find',
        toolCallId: 'c2',
        state: 'output-error',
        input: {},
        errorText: 'broken',
      },
      { type: 'tool-look', toolCallId: 'c3', state: 'input-available', input: {} },
      { type: 'tool-look', toolCallId: 'c4', state: 'input-streaming', input: {} },
      { type: 'step-start' },
      { type: 'data-weather', data: {} },
      { type: 'text', text: 'Done.' },
    ],
  },
]
