import { branchesConfigurations } from '../../src/testing/charts/branches-configurations.ts'
import { configurations } from '../../src/testing/charts/configurations.ts'

const names = ['retries, fallbacks and continuations', 'two calls, one suspended, wait, gate']

/** Small configurations that together enter every kind of transition: for the gate, and for planted faults. */
export const fewConfigurations = {
  configurations: configurations.filter(({ name }) => names.includes(name)),
  branches: branchesConfigurations.slice(0, 1),
}
