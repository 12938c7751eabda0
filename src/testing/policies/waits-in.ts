import type { ProofGraph, ProofNode } from './explore-agent.ts'

/** The possible ends of the waits in an agent's runs. */
export interface ProvenWaits {
  /** Waits from which no answer and no time leads to an end; only a cancel does. */
  readonly stranded: readonly string[]
  /** Waits without a time limit, which last until somebody answers. */
  readonly endless: readonly string[]
}

/** Searches from each wait for a path to an end without a cancel of the run or a crash. */
export function waitsIn({ nodes }: ProofGraph): ProvenWaits {
  const ending = new Set(nodes.filter(({ at, isWalked }) => at === 'done' || !isWalked))
  for (let before = -1; before !== ending.size;) {
    before = ending.size
    for (const node of nodes) {
      const leads = node.edges.some(({ move, to }) => {
        const isCancel = move.kind === 'person' && move.does === 'cancel the run'
        return !isCancel && move.crash === undefined && ending.has(to)
      })
      if (leads) ending.add(node)
    }
  }
  const waits = nodes.filter(({ at }) => at === 'wait')
  const stranded = waits.filter((node) => !ending.has(node)).flatMap((node) => namesOf(node))
  const endless = waits.flatMap((node) => namesOf(node, ({ suspension }) => suspension?.expiresAt === undefined))
  return { stranded: [...new Set(stranded)], endless: [...new Set(endless)] }
}

type Waiting = ProofNode['waiting'][number]

function namesOf({ waiting }: ProofNode, isMeant: (call: Waiting) => boolean = () => true): readonly string[] {
  return waiting.filter(isMeant).map(({ toolName, isHold, suspension }) => {
    const what = isHold === true ? `hold by ${toolName}` : toolName
    return `${what} (${suspension?.reason ?? 'unknown'})`
  })
}
