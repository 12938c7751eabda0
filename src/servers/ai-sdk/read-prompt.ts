import { blockRefusal } from '../../core/domain/media.ts'
import { readBlock } from '../../core/domain/read-block.ts'
import type { Said, ShownContent } from '../../ports.ts'
import type { PromptMessage } from '../../index.ts'
import { clientIdMessage } from '../chat/client-id.ts'
import { HttpError } from '../http/http-error.ts'
import type { ChatMessage } from './read-chat.ts'

/**
 * Returns the user's texts, pictures and files in order, after the client's id of the message, so that a repeated
 * request begins nothing. Throws an `HttpError` for a rejected file; nothing is fetched.
 */
export function promptOf({ id, parts }: ChatMessage): Said {
  const content = parts.flatMap((part): readonly ShownContent[] => {
    if (part['type'] === 'text' && typeof part['text'] === 'string') return [{ type: 'text', text: part['text'] }]
    return part['type'] === 'file' ? [fileOf(part)] : []
  })
  if (content.length === 0) throw new HttpError(400, 'bad_prompt', 'The last message has neither a text nor a file.')
  const said: PromptMessage = { role: 'user', content }
  return [clientIdMessage(id), said]
}

function fileOf({ url, filename, mediaType }: Readonly<Record<string, unknown>>): ShownContent {
  const given = { type: 'file', url, filename, mediaType }
  const { block, problem } = readBlock(given)
  if (block !== undefined) return block
  throw new HttpError(400, 'file_refused', blockRefusal(given, problem))
}
