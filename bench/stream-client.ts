import { DefaultChatTransport, type UIMessage } from 'ai'

/** What a client is asked to read: an answer of so many characters. */
export interface AskedRead {
  readonly api: string
  readonly characters: number
}

/** Reads one answer of a chat handler by the transport of the AI SDK; throws unless it has so many characters. */
export async function readAnswer({ api, characters }: AskedRead): Promise<void> {
  const transport = new DefaultChatTransport<UIMessage>({ api })
  const said: UIMessage = { id: 'said', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }
  const trigger = 'submit-message'
  const asked = { chatId: 'bench', messages: [said], trigger, messageId: undefined, abortSignal: undefined } as const
  const chunks = await transport.sendMessages({ ...asked, messages: [said] })
  let length = 0
  for await (const chunk of chunks) if (chunk.type === 'text-delta') length += chunk.delta.length
  if (length !== characters) throw new Error(`${length} characters were read.`)
}

if (import.meta.main && process.send !== undefined) {
  process.on('message', (asked: AskedRead) => {
    void readAnswer(asked)
      .then(() => undefined)
      .catch((error: unknown) => String(error))
      .then((failure) => process.send?.({ failure }))
  })
  process.once('disconnect', () => process.exit())
}
