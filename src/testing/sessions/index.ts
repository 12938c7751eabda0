export { sessionStoreSuite } from './session-store-suite.ts'
export type { SessionStoreUnderTest } from './session-store-suite.ts'
