export { openApiToolset } from './openapi/openapi-toolset.ts'
export { OpenApiError, type OpenApiErrorCode } from './openapi/openapi-error.ts'
export type {
  ExternalRefs,
  OpenApiAuth,
  OpenApiFilter,
  OpenApiOptions,
  OpenApiRules,
  OpenApiSource,
} from './openapi/options.ts'
export type { ResolveName } from './guarded-fetch.ts'
export { HttpFailure, type HttpFailureCode } from './http-failure.ts'
