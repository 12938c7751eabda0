export { storeSuite } from './store-suite.ts'
export type { StoreUnderTest } from './store-suite.ts'
