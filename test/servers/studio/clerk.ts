import { type Agent, createAgent, type Store, tool } from '../../../src/index.ts'
import { scripted } from '../../../src/adapters/providers/scripted.ts'

/** The result of a tool that a page must show as text. */
export const hostileText = '<img src=x onerror="document.title=1"><svg onload="document.title=2">\u202Eevil\u0007'

/**
 * An agent that looks, then asks to send a mail and to be told a colour, and then answers. `sent` holds what was sent.
 */
export function clerk(store: Store, sent: unknown[] = []): Agent {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: { type: 'object' },
    effects: 'none',
    execute: () => hostileText,
  })
  const send = tool({
    name: 'send_mail',
    description: 'Sends a mail.',
    input: {
      type: 'object',
      properties: { to: { type: 'string' }, copies: { type: 'integer', minimum: 1, maximum: 9 } },
      required: ['to', 'copies'],
    },
    needs: 'approval',
    preview: () => ({ diff: '--- a/outbox\n+++ b/outbox\n@@ -1 +1 @@\n-nothing\n+one mail <b>to</b> anna\n' }),
    execute: (given) => {
      sent.push(given)
      return 'sent'
    },
  })
  const model = scripted(({ messages }) => {
    const results = messages.filter(({ role }) => role === 'toolResult').length
    if (results === 0) return { text: 'I look first.', toolCalls: [{ name: 'look', arguments: {} }] }
    if (results === 1) return { toolCalls: [{ name: 'send_mail', arguments: { to: 'anna', copies: 1 } }] }
    return 'The mail is sent.'
  })
  return createAgent({ name: 'clerk', model, tools: [look, send], store })
}
