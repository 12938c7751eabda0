import { blockRefusal } from '../../core/domain/media.ts'
import { readBlock } from '../../core/domain/read-block.ts'
import type { Said, ShownContent } from '../../ports.ts'
import type { PromptMessage } from '../../index.ts'
import { clientIdMessage } from '../chat/client-id.ts'
import { HttpError } from '../http/http-error.ts'
import type { ChatMessage } from './read-chat.ts'

/**
 * What a user has said: texts, pictures and files, in their order. Before it stands the id that the client gave it, so that a
 * request that comes again begins nothing. Throws an `HttpError` for a file that is refused; nothing is fetched.
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
