import { ApplicationError } from '../../domain/application-error.ts'

/** A plugin could not say what is kept of a value that came in. The message holds nothing of the value. */
export class RefusedValue extends ApplicationError {
  override readonly name = 'RefusedValue'
}
