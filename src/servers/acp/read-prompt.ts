import type { ContentBlock } from '@agentclientprotocol/sdk'
import { blockRefusal } from '../../core/domain/media.ts'
import { readBlock } from '../../core/domain/read-block.ts'
import type { PromptMessage } from '../../index.ts'
import type { ShownContent } from '../../ports.ts'
import type { Acp } from './load-acp.ts'

/**
 * Returns an editor's prompt as a message. A link becomes a text with its address, because nothing is fetched. Throws
 * an invalid-params error for an empty prompt, a sound or a rejected file.
 */
export function promptOf(blocks: readonly ContentBlock[], { RequestError }: Acp): PromptMessage {
  const refused = (text: string) => RequestError.invalidParams(undefined, text)
  const media = (given: Parameters<typeof blockRefusal>[0]): ShownContent => {
    const { block, problem } = readBlock(given)
    if (block === undefined) throw refused(blockRefusal(given, problem))
    return block
  }
  const content = blocks.map((block): ShownContent => {
    switch (block.type) {
      case 'text':
        return { type: 'text', text: block.text }
      case 'image':
        return media({ type: 'image', data: block.data, mimeType: block.mimeType })
      case 'resource_link':
        return { type: 'text', text: `${block.name}: ${block.uri}` }
      case 'resource': {
        const { resource } = block
        if ('text' in resource) return { type: 'text', text: `${resource.uri}:\n${resource.text}` }
        const name = resource.uri.slice(resource.uri.lastIndexOf('/') + 1)
        const { mimeType } = resource
        const type = typeof mimeType === 'string' ? { mediaType: mimeType } : {}
        return media({ type: 'file', data: resource.blob, name, ...type })
      }
      case 'audio':
        throw refused('The prompt contains a sound, which this agent does not accept. Send text, images or files.')
    }
  })
  if (content.some((block) => block.type !== 'text' || block.text.trim() !== '')) return { role: 'user', content }
  throw refused('The prompt is empty. Send a text, an image or a file.')
}
