import type { Model } from '../../../core/ports/model.ts'
import { openaiClient, type OpenAIServer } from '../openai-client.ts'
import { knownAddress } from '../wire/base-address.ts'
import type { ModelOptions } from '../wire/model-options.ts'
import { wireModel } from '../wire/wire-model.ts'
import { ChatAnswer } from './answer.ts'
import { chatRequest } from './request.ts'
import { chatAccepted, compatFor, type OpenAICompat } from './compat.ts'

/** Options of `openaiChat`. All are optional. The default key is OPENAI_API_KEY; a local server accepts any text. */
export interface OpenAIChatOptions extends ModelOptions {
  /** Provider id in messages, e.g. `groq` for that server. Default `openai`. */
  readonly provider?: string
  /** Default: OPENAI_BASE_URL, else the provider's own. */
  readonly baseURL?: string
  /** The features of the server. Default: by base URL. */
  readonly compat?: Partial<OpenAICompat>
}

/** Returns a model on a server of the Chat Completions wire; `family` is its own name if `id` names a deployment. */
export function chatModel(id: string, options: OpenAIChatOptions, server: OpenAIServer, family: string = id): Model {
  const { provider = 'openai', maxTokens, thinking } = options
  const { variable } = server
  const address = () => server.address().baseURL
  return wireModel({
    ...{ provider, id, wire: 'openai-chat', family, options, variable, address },
    media: () => chatAccepted(compatFor(knownAddress(address) ?? '', options.compat)),
    prepare: (request) => {
      const compat = compatFor(address(), options.compat)
      const { body, leftOut } = chatRequest(request, { provider, model: id, family, maxTokens, thinking, compat })
      return {
        leftOut,
        answer: new ChatAnswer({ provider, model: id }, compat),
        open: async (line, keys) => {
          const client = await openaiClient(server, await keys.key(), options.headers, line)
          return await client.chat.completions.create(body, { signal: line.signal })
        },
      }
    },
  })
}
