import { modelFromEnvironment } from '../src/adapters/providers/from-environment.ts'
import type { Model } from '../src/index.ts'

/** A model for an example, and whether it is the script. */
export interface ExampleModel {
  readonly model: Model
  readonly isScripted: boolean
}

/** Returns the model that the variable `MODEL` names, such as `anthropic/claude-sonnet-5-5`, or else the script, and says which. */
export function exampleModel(script: Model): ExampleModel {
  const wanted = process.env['MODEL']
  const model = wanted === undefined || wanted === '' ? script : modelFromEnvironment(wanted, process.env)
  console.log(
    model === script ? 'The model is scripted. MODEL=<provider>/<model> asks a real one.' : `The model is ${wanted}.`,
  )
  return { model, isScripted: model === script }
}
