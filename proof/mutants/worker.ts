import { parentPort } from 'node:worker_threads'
import type { Interpreter } from '../../src/core/step/steps-of.ts'
import { configurations } from '../../src/testing/charts/configurations.ts'
import { mutants } from './all-mutants.ts'
import { judgeMutant, type Relevant } from './judge-mutant.ts'
import { recordReach } from './record-reach.ts'

/** One piece of work, by number: charts and mutants are the same on both sides. */
export type Task =
  | { readonly kind: 'reach'; readonly configuration: number }
  | {
      readonly kind: 'mutant'
      readonly mutant: number
      readonly relevant: Relevant
      readonly interpreter: Interpreter | 'both'
    }

parentPort?.on('message', (task: Task) => parentPort?.postMessage(perform(task)))

function perform(task: Task): unknown {
  if (task.kind === 'reach') {
    const configuration = configurations[task.configuration]
    if (configuration === undefined) throw new Error(`There is no configuration ${task.configuration}.`)
    return recordReach(configuration, task.configuration)
  }
  const mutant = mutants[task.mutant]
  if (mutant === undefined) throw new Error(`There is no mutant ${task.mutant}.`)
  return judgeMutant(mutant, task.relevant, task.interpreter)
}
