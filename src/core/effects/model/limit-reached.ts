import type { AccountLimit } from '../../domain/account.ts'
import { ModelError } from '../../domain/model-error.ts'

/** The failure of a request that was not sent, because the account of the run's family has too little left for it. */
export class LimitReached extends ModelError {
  readonly limit: AccountLimit
  /** True if somebody is asked to raise the limit. */
  readonly isAsked: boolean

  constructor(limit: AccountLimit, isAsked: boolean) {
    super('api', `The account of the family has too little left for one more request (${limit}).`)
    this.limit = limit
    this.isAsked = isAsked
  }
}
