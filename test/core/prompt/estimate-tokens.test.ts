import { expect, test } from 'vitest'
import { type Content, type ModelMessage, userMessage } from '../../../src/core/domain/message.ts'
import { TokenCounter } from '../../../src/core/prompt/estimate-tokens.ts'
import { answer } from './any-history.ts'

const user = (...content: readonly Content[]): ModelMessage => ({ ...userMessage('', 0), content }) as ModelMessage
const picture = (characters: number): ModelMessage =>
  user({ type: 'image', data: 'A'.repeat(characters), mimeType: 'image/png' })
const result = (toolName: string, text: string): ModelMessage => ({
  role: 'toolResult',
  callId: 'c',
  toolCallId: 'c',
  toolName,
  content: [{ type: 'text', text }],
  isError: false,
  status: 'success',
  timestamp: 0,
})
const saying = (content: Content): ModelMessage => ({ ...answer(0, '', 0), content: [content] }) as ModelMessage

/** Every message has 4 tokens of its own; a tool result has 8 and those of its name. */
test.each<[string, ModelMessage, number]>([
  ['a text of one byte a character', userMessage('x'.repeat(400), 0), 4 + 100],
  ['a text of two bytes a character', userMessage('é'.repeat(400), 0), 4 + 200],
  ['a text of three bytes a character', userMessage('漢'.repeat(400), 0), 4 + 300],
  ['a text of four bytes a character', userMessage('😀'.repeat(400), 0), 4 + 400],
  ['a text that fills no whole token', userMessage('12345', 0), 4 + 2],
  ['a thought', saying({ type: 'thinking', thinking: 'x'.repeat(40) }), 4 + 10],
  [
    'a call',
    saying({ type: 'toolCall', id: 'c', callId: 'c', name: 'look', arguments: { at: 'x'.repeat(31) } }),
    4 + 1 + 10 + 8,
  ],
  ['a result', result('read_the_mail', 'x'.repeat(40)), 8 + 4 + 10],
  ['a picture of few bytes', picture(4), 4 + 85],
  ['a picture of 75,000 bytes', picture(100_000), 4 + 100],
  ['a picture of very many bytes', picture(20_000_000), 4 + 16_000],
])('CTX-01 estimates the tokens of %s', (_, message, tokens) => {
  expect(new TokenCounter().of(message)).toBe(tokens)
})
