export { hintAfterFailures, type HintOptions } from './hint-after-failures.ts'
export { redactSecrets } from './redact-secrets.ts'
export { policies } from './policies.ts'
export type { Policies } from '../ports/policy-guard.ts'
