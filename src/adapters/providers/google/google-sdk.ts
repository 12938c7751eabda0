import type { FunctionCallingConfigMode, ThinkingLevel as WireThinkingLevel } from '@google/genai/web'

/** What of the package is needed to say a request: its words stand in enumerations. */
export interface GoogleSdk {
  readonly FunctionCallingConfigMode: typeof FunctionCallingConfigMode
  readonly ThinkingLevel: typeof WireThinkingLevel
}
