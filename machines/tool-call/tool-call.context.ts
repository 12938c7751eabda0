import type { ToolCallContext, ToolCallInput } from './tool-call.types.ts'

/** The context a call starts with; a document leaves out what equals it. */
export function initialContext({ input }: { readonly input: ToolCallInput }): ToolCallContext {
  return {
    ...input,
    suspension: null,
    suspensions: 0,
    attempts: 0,
    revision: 0,
    decision: null,
    kept: null,
    resultHash: null,
    paths: [],
    closingText: null,
    wasGated: false,
    cancelledByRun: false,
    at: 0,
  }
}
