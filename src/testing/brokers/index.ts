export { brokerSuite } from './broker-suite.ts'
