import { afterStep, type AtomValues, isKeptAtEnd } from '../../core/domain/policies/formula.ts'
import type { Formula, Policy } from '../../core/domain/policies/policy.ts'
import { type PolicyStep, valuesAt } from '../../core/domain/policies/policy-step.ts'
import type { ProofEdge, ProofGraph, ProofNode } from './explore-agent.ts'
import type { PolicyMove } from './policy-script.ts'

/** The verdict of a walk about one policy. */
export interface GraphJudgement {
  /** The moves that break the policy; absent if none were found. */
  readonly broken?: readonly PolicyMove[]
  /** The atoms that held at no step. */
  readonly unseen: readonly string[]
}

/** A place in the walk with its remaining obligations, and how it was first reached. */
interface Place {
  readonly node: ProofNode
  readonly left: Formula
  readonly by?: { readonly edge: ProofEdge; readonly from: Place }
}

/** Looks for the fewest moves that break a policy. */
export async function judgeGraph(policy: Policy, { start }: ProofGraph): Promise<GraphJudgement> {
  const values = new StepValues(policy)
  const known = new Map<ProofNode, Set<string>>()
  const places: Place[] = []
  const reach = (place: Place) => {
    const own = known.get(place.node) ?? new Set()
    known.set(place.node, own)
    const key = JSON.stringify(place.left)
    if (own.has(key)) return
    own.add(key)
    places.push(place)
  }
  reach({ node: start, left: policy.formula })
  for (const place of places) {
    for (const edge of place.node.edges) {
      let { left } = place
      for (const step of edge.steps) left = afterStep(left, await values.of(step))
      const next: Place = { node: edge.to, left, by: { edge, from: place } }
      const isBroken = left === false || (edge.to.at === 'done' && !isKeptAtEnd(left))
      if (isBroken) return { broken: movesTo(next), unseen: values.unseen() }
      reach(next)
    }
  }
  return { unseen: values.unseen() }
}

function movesTo(place: Place): readonly PolicyMove[] {
  return place.by === undefined ? [] : [...movesTo(place.by.from), place.by.edge.move]
}

/** The values of a policy's atoms; equal steps are looked at once. */
class StepValues {
  readonly #policy: Policy
  readonly #known = new Map<string, AtomValues>()
  readonly #byStep = new WeakMap<PolicyStep, AtomValues>()
  readonly #seen = new Set<string>()

  constructor(policy: Policy) {
    this.#policy = policy
  }

  async of(step: PolicyStep): Promise<AtomValues> {
    const known = this.#byStep.get(step)
    if (known !== undefined) return known
    const key = JSON.stringify(step)
    const values = this.#known.get(key) ?? (await valuesAt(step, this.#policy.atoms))
    this.#known.set(key, values)
    this.#byStep.set(step, values)
    for (const [atom, value] of values) if (value !== false) this.#seen.add(atom)
    return values
  }

  unseen(): readonly string[] {
    return this.#policy.atoms.flatMap(({ text }) => (this.#seen.has(text) ? [] : [text]))
  }
}
