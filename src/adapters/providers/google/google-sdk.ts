import type { FunctionCallingConfigMode, ThinkingLevel as WireThinkingLevel } from '@google/genai/web'

/** The enumerations of the package that a request needs. */
export interface GoogleSdk {
  readonly FunctionCallingConfigMode: typeof FunctionCallingConfigMode
  readonly ThinkingLevel: typeof WireThinkingLevel
}
