import { ModelError } from '../../../core/domain/model-error.ts'
import type { Model } from '../../../core/ports/model.ts'
import { optional, type OptionShape, text } from '../../../core/domain/text/option-shape.ts'
import { withoutSlashes } from '../wire/base-address.ts'
import { checkModel, modelShape } from '../wire/model-shape.ts'
import { geminiModel } from './gemini-model.ts'
import type { GoogleOptions } from './options.ts'

/** Options of `vertex`. All are optional. Without `credentials` the token is VERTEX_ACCESS_TOKEN. */
export interface VertexOptions extends Omit<GoogleOptions, 'apiVersion'> {
  /** Default: GOOGLE_CLOUD_PROJECT. */
  readonly project?: string
  /** Default: GOOGLE_CLOUD_LOCATION, else `global`. */
  readonly location?: string
}

const shape: OptionShape<VertexOptions> = {
  ...modelShape,
  baseURL: optional(text),
  project: optional(text),
  location: optional(text),
}

/**
 * Returns a Gemini model on Vertex AI; needs the package `@google/genai`. The bearer token is valid for about an hour:
 * `credentials` returns one for each call.
 *
 * @example
 * vertex('gemini-3.8-flash', { project: 'my-project', credentials: async () => await myToken() })
 */
export function vertex(model: string, options: VertexOptions = {}): Model {
  checkModel('vertex', model, options, shape)
  return geminiModel(model, options, {
    provider: 'vertex',
    variable: 'VERTEX_ACCESS_TOKEN',
    address: () => projectAddress(options),
    client: (token, fetch) => ({
      apiKey: token,
      vertexai: true,
      apiVersion: '',
      httpOptions: { baseUrl: projectAddress(options), fetch: withBearer(token, fetch) },
    }),
  })
}

function projectAddress(options: VertexOptions): string {
  const project = options.project ?? process.env['GOOGLE_CLOUD_PROJECT']
  if (!project) {
    throw new ModelError('api', 'vertex has no project. Set GOOGLE_CLOUD_PROJECT or pass the option project.')
  }
  const location = options.location ?? process.env['GOOGLE_CLOUD_LOCATION'] ?? 'global'
  const server = withoutSlashes(options.baseURL ?? serverOf(location))
  return `${server}/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`
}

function serverOf(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com'
  if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`
  return `https://${location}-aiplatform.googleapis.com`
}

/** The package knows keys only; a token goes as a bearer in the key's place. */
function withBearer(token: string, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('x-goog-api-key')
    headers.set('authorization', `Bearer ${token}`)
    return fetch(input, { ...init, headers })
  }
}
