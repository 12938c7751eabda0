export { modelSuite } from './model-suite.ts'
export type { ModelScenario, ModelUnderTest } from './model-suite.ts'
