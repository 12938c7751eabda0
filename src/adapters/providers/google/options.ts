import type { ModelOptions } from '../wire/model-options.ts'

/** Options of `google`. All are optional. The default key is GEMINI_API_KEY. */
export interface GoogleOptions extends ModelOptions {
  /** Without the version. Default: the provider's own. */
  readonly baseURL?: string
  /** Default: the package's own, `v1`; at Vertex it is always `v1`. */
  readonly apiVersion?: string
}
