import { type Model, ModelError } from '../../index.ts'

/** Stands in where no model is asked: the studio reads and stores. */
export const readerModel: Model = {
  provider: 'none',
  id: 'none',
  stream: () => {
    throw new ModelError('api', 'The studio asks no model. Give it the agent of the run, or start a worker.')
  },
}
