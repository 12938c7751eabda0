import { type Model, ModelError } from '../index.ts'
import { modelFromEnvironment } from '../providers/from-environment.ts'
import type { CliIo } from './cli-io.ts'
import { misuse } from './cli-error.ts'
import { demoModel } from './demo-model.ts'

/** The model a specification names, else the one the keys in the environment allow. */
export function chooseModel(spec: string | undefined, { env }: CliIo): Model {
  if (spec === 'scripted' || spec?.startsWith('scripted/') === true) return demoModel()
  try {
    return modelFromEnvironment(spec, env)
  } catch (error) {
    throw misuse('no_model', error instanceof Error ? error.message : `The model ${spec} cannot be used.`)
  }
}

/** Stands in where no model is to be asked. */
export const noModel: Model = {
  provider: 'none',
  id: 'none',
  stream: () => {
    throw new ModelError('api', 'This command asks no model. Drive the run on with "resume".')
  },
}
