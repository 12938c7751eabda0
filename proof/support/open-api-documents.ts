import { OpenApiError, type OpenApiOptions } from '../../src/adapters/tools/openapi.ts'
import { documentOf, opened } from './open-api.ts'

/** One server, for documents that need one. */
export const servers = [{ url: 'https://x.example/v1/' }]
/** A path with one GET operation. */
export const get = (operationId?: string, rest: object = {}) => ({
  get: { ...(operationId === undefined ? {} : { operationId }), ...rest },
})
/** A document of one operation, `op`. */
export const small = documentOf({ '/a': get('op') }, { servers })

/** The code and the message a toolset is refused with, when it is made or when it opens. */
export async function refused(options: Partial<OpenApiOptions>): Promise<readonly [string, string]> {
  try {
    await using set = await opened(small, options)
    return ['opened', set.tools.map(({ name }) => name).join()]
  } catch (error) {
    return error instanceof OpenApiError ? [error.code, error.message] : ['?', String(error)]
  }
}

/** The source of a text. */
export const textSource = (given: string | object) => ({
  source: { text: typeof given === 'string' ? given : JSON.stringify(given) },
})
