import type { JsonObject } from '../domain/text/json.ts'

/** The part of Standard Schema (with its JSON Schema converter) that is read. zod 4, valibot and arktype have it. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { target: string }) => Record<string, unknown> }
  }
}

/** A validated value, or its problems. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** One problem of a value, with its place in the value. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A Standard Schema, or a JSON Schema. */
export type Schema<Output = unknown> = StandardSchema<unknown, Output> | JsonObject

/** The type of the values that a schema accepts; `unknown` for raw JSON Schema. */
export type InputOf<S> = S extends {
  readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined }
}
  ? Input
  : unknown

/** The type of a schema's validated values; `unknown` for raw JSON Schema. */
export type OutputOf<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined }
}
  ? Output
  : unknown
