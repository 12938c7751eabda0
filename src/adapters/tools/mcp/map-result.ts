import type { CallToolResult } from '@modelcontextprotocol/client'
import { type Json, toPlainJson } from '../../../core/domain/text/json.ts'
import type { ShownContent, TextContent } from '../../../core/domain/message.ts'
import type { Redactor } from '../../../core/domain/text/redactor.ts'
import type { ToolResult } from '../../../core/ports/tool.ts'
import { cutText } from '../foreign-text.ts'
import { readBlock, text } from './read-block.ts'

const maxText = 256_000

/** Returns a server's result in the engine's form. A line of text names each part that models do not accept. */
export function mapResult(result: CallToolResult, secrets: Redactor): ToolResult {
  const { content, structuredContent, isError = false } = result
  const blocks = withinBounds(content.map((block) => masked(readBlock(block), secrets)))
  const plain = structuredContent === undefined ? undefined : toPlainJson(structuredContent)
  const structured = plain === undefined ? undefined : secrets.json(plain)
  return {
    content: blocks.length > 0 ? blocks : substitute(structured, isError),
    ...(isError ? { status: 'error' as const } : {}),
    ...(structured === undefined ? {} : { details: { structuredContent: structured } }),
  }
}

function substitute(structured: Json | undefined, isError: boolean): readonly TextContent[] {
  if (structured !== undefined) return [text(cutText(JSON.stringify(structured), maxText, '\n... [truncated]'))]
  return isError ? [text('The server reported an error and did not say which.')] : []
}

/** Before it is cut, which may leave half of a secret. */
function masked(block: ShownContent, secrets: Redactor): ShownContent {
  return block.type === 'text' ? text(secrets.text(block.text)) : block
}

function withinBounds(blocks: readonly ShownContent[]): readonly ShownContent[] {
  let left = maxText
  return blocks.flatMap((block): readonly ShownContent[] => {
    if (block.type !== 'text') return [block]
    if (left <= 0) return []
    const cut = cutText(block.text, left, '\n... [truncated]')
    left -= block.text.length
    return [text(cut)]
  })
}
