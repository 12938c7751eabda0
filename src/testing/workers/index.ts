export { workerSuite } from './worker-suite.ts'
export type { StoreUnderTest } from '../stores/store-suite.ts'
