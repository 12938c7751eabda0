import { type Model, ModelError } from '../index.ts'
import { readyModelFromEnvironment } from '../providers/from-environment.ts'
import type { CliIo } from './cli-io.ts'
import { misuse } from './cli-error.ts'
import { demoModel } from './demo-model.ts'

/** The model a specification names, else the one the keys allow; refused where a key or a package is missing. */
export async function chooseModel(spec: string | undefined, { env }: CliIo): Promise<Model> {
  if (spec === 'scripted' || spec?.startsWith('scripted/') === true) return demoModel()
  try {
    return await readyModelFromEnvironment(spec, env)
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
