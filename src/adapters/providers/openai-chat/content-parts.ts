import { isRecord } from '../../../core/domain/text/json.ts'
import { optionalText, textIn } from '../wire/read-field.ts'

/** A piece of an answer's content; some servers sign their models' thinking. */
export interface ContentPart {
  readonly type: 'text' | 'thinking'
  readonly text: string
  readonly signature?: string | undefined
}

/**
 * Returns the pieces of a delta's content: a text, or a list of parts if a server sends thinking in the content itself.
 * Parts that refer to sources are left out; any other part throws a `TypeError`.
 */
export function contentParts(content: unknown): readonly ContentPart[] {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return [{ type: 'text', text: textIn(content, 'delta.content') }]
  return content.flatMap((part: unknown) => partsIn(part, 'delta.content'))
}

function partsIn(part: unknown, field: string): readonly ContentPart[] {
  if (!isRecord(part)) return [{ type: 'text', text: textIn(part, `${field}[]`) }]
  const { type = 'text' } = part
  switch (type) {
    case 'text':
      return [{ type, text: textIn(part['text'], `${field}[].text`) }]
    case 'thinking': {
      const signature = optionalText(part['signature'], `${field}[].signature`)
      return [{ type, text: thoughtIn(part['thinking'], `${field}[].thinking`), signature }]
    }
    case 'reference':
    case 'tool_reference':
      return []
    default:
      throw new TypeError(
        `The field ${field} holds a part of the type ${JSON.stringify(type)}, expected text or thinking.`,
      )
  }
}

/** Returns the texts of a thinking part: several in a list, or one. */
function thoughtIn(thinking: unknown, field: string): string {
  if (!Array.isArray(thinking)) return textIn(thinking, field)
  const parts = thinking.flatMap((part: unknown) => partsIn(part, field))
  return parts.map(({ text }) => text).join('')
}
