export { modelSuite } from './model-suite.ts'
