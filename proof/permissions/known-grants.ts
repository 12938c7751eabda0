import type { DecisionScope, Grant } from '../../src/index.ts'

/** What somebody granted in a combination. */
interface Known {
  readonly name: string
  readonly n: number | undefined
  readonly rule: string | undefined
  readonly scope: DecisionScope
  readonly runId: string
  readonly callId: string
  /** Whether its run has a user, so that it holds for both runs. */
  readonly isOfUser: boolean
  readonly isDenied: boolean
}

/** What was granted in a combination, kept a second time by hand. */
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

  /** Whether a call that is asked about by these rules, or by its tool, may run; one for once is used up. */
  allows(given: Pick<Known, 'name' | 'n'>, asking: readonly string[], runId: string): boolean {
    const fitting = this.#known.filter((known) => {
      const isHere = known.runId === runId || (known.isOfUser && known.scope !== 'run')
      if (!isHere || known.name !== given.name) return false
      if (known.scope === 'once') return known.n === given.n
      return asking.length === 0 ? known.rule === undefined : asking.includes(known.rule ?? '')
    })
    // Where several rules ask, it is open here which of them is named.
    if (asking.length < 2 && fitting.some(({ isDenied }) => isDenied)) return false
    const found = fitting.find(({ isDenied, scope }) => !isDenied && scope !== 'once') ?? fitting.find(isForOnce)
    if (found === undefined) return false
    if (isForOnce(found)) this.spend(found.runId, found.callId)
    this.used++
    return true
  }
}

function isForOnce({ scope, isDenied }: Known): boolean {
  return scope === 'once' && !isDenied
}
