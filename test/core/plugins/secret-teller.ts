import { existsSync, readFileSync } from 'node:fs'
import { type Model, type Plugin, textOf } from '../../../src/index.ts'

/** 24 letters that nothing else in a run has. */
export const secret = String.fromCodePoint(...Array.from({ length: 24 }, (_, index) => 0x16a0 + index))
export const places = Array.from({ length: 23 }, (_, index) => index + 1)

export function lettersIn(text: string): string {
  return [...new Set(text.match(/[\u16A0-\u16B7]/g) ?? [])].join('')
}

/** Two letters of the secret side by side in a file, whose packed pages may hold the bytes of one by chance. */
export function pairIn(file: string): string {
  const bytes = Buffer.concat([file, `${file}-wal`].filter((one) => existsSync(one)).map((one) => readFileSync(one)))
  return places.map((at) => secret.slice(at - 1, at + 1)).find((pair) => bytes.includes(pair)) ?? ''
}

/**
 * A model that says the secret in two pieces; asked again after a refusal, it does not. `between` is called after the first
 * piece.
 */
export function teller(between: () => Promise<unknown> = async () => undefined) {
  let place = 1
  const model: Model = {
    provider: 'teller',
    id: 'teller',
    async *stream({ messages }) {
      const isTold = JSON.stringify(messages.at(-1)).includes('The answer was refused')
      const text = isTold ? 'I do not say it.' : `The word is ${secret}, as I know it.`
      const cut = isTold ? 3 : 'The word is '.length + place
      yield { type: 'text', delta: text.slice(0, cut) }
      await between()
      yield { type: 'text', delta: text.slice(cut) }
      const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 }
      const head = { provider: 'teller', model: 'teller', stopReason: 'stop' as const, timestamp: 0, usage }
      yield { type: 'finished', message: { role: 'assistant', content: [{ type: 'text', text }], ...head } }
    },
  }
  return { model, splitAt: (at: number) => void (place = at) }
}

export const refusing: Plugin = {
  name: 'refusing',
  onAnswer: (answer) => (textOf(answer).includes(secret) ? { refuse: 'It says the word.' } : undefined),
}
export const hiding: Plugin = {
  name: 'hiding',
  onAnswer: (answer) => {
    const text = textOf(answer)
    return text.includes(secret)
      ? { content: [{ type: 'text', text: text.replaceAll(secret, '[hidden]') }] }
      : undefined
  },
}

function post(body: object): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request('http://x.example', { method: 'POST', headers, body: JSON.stringify(body) })
}

/** A request of the AI SDK's `useChat`, with one message of the user. */
export function chatRequest(id: string, text: string): Request {
  const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text }] }]
  return post({ id, messages, trigger: 'submit-message' })
}

/** A request of an AG-UI client, with one message of the user. */
export function agUiRequest(threadId: string, content: string): Request {
  const messages = [{ id: 'u', role: 'user', content }]
  return post({ threadId, runId: 'r', messages, tools: [], context: [], state: {}, forwardedProps: {} })
}
