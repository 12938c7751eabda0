export { hintAfterFailures } from './hint-after-failures.ts'
export type { HintOptions } from './hint-after-failures.ts'
export { redactSecrets } from './redact-secrets.ts'
