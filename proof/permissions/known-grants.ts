import type { DecisionScope, Grant } from '../../src/ports.ts'

/** A grant that somebody gave in a combination. */
interface Known {
  readonly name: string
  readonly n: number | undefined
  readonly line: string | undefined
  readonly rule: string | undefined
  readonly scope: DecisionScope
  readonly runId: string
  readonly callId: string
  /** Whether its run has a user, so that it holds for both runs. */
  readonly isOfUser: boolean
  readonly isDenied: boolean
}

/** The grants of a combination, tracked independently by hand. */
export class KnownGrants {
  #known: readonly Known[] = []
  /** Calls that ran by a grant. */
  used = 0

  add(known: Known): void {
    if (known.isDenied && known.scope === 'once') return
    this.#known = [...this.#known, known]
  }

  /** The call that an approval for once was given to has run. */
  spend(runId: string, callId: string): void {
    this.#known = this.#known.filter(
      (known) => known.scope !== 'once' || known.runId !== runId || known.callId !== callId,
    )
  }

  revoke({ runId, callId }: Grant): void {
    this.#known = this.#known.filter((known) => known.runId !== runId || known.callId !== callId)
  }

  /**
   * Whether a call may run that is asked about by these rules, or by its tool where one is undefined: each of them has to be
   * answered. Of an unclear one only what was said of these arguments counts. One for once is used up.
   */
  allows(
    given: Pick<Known, 'name' | 'n' | 'line'>,
    asking: readonly (string | undefined)[],
    runId: string,
    isUnclear: boolean,
  ): boolean {
    const fitting = this.#known.filter((known) => {
      const isHere = known.runId === runId || (known.isOfUser && known.scope !== 'run')
      return isHere && known.name === given.name
    })
    const lasting = isUnclear ? [] : fitting.filter(({ scope }) => scope !== 'once')
    if (lasting.some(({ isDenied, rule }) => isDenied && asking.includes(rule))) return false
    const isCovered = asking.every((rule) => lasting.some((known) => known.rule === rule))
    const once = fitting.find((known) => isForOnce(known) && known.n === given.n && known.line === given.line)
    if (lasting.length > 0 && isCovered) this.used++
    else if (once === undefined) return false
    else {
      this.spend(once.runId, once.callId)
      this.used++
    }
    return true
  }
}

function isForOnce({ scope, isDenied }: Known): boolean {
  return scope === 'once' && !isDenied
}
