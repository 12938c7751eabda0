import { playPolicy, prove, type ProveOptions, type PolicyProof } from '../../src/testing/index.ts'
import { provenAgents } from './agents.ts'

/** A policy with its proof, and what is wrong with the proof. */
export interface JudgedPolicy extends PolicyProof {
  readonly problem?: string
}

/** Proves the policies of all three agents within a bound, and plays each script that breaks one once more. */
export async function judgeAgents(bound: ProveOptions): Promise<readonly JudgedPolicy[]> {
  const judged: JudgedPolicy[] = []
  for (const { source, kept, broken } of provenAgents) {
    const { proofs } = await prove(source, [...kept, ...broken], bound)
    for (const proof of proofs) {
      const wanted = kept.includes(proof.policy) ? 'proven' : 'broken'
      const isRed = proof.script === undefined || (await isRefused(playPolicy(source, proof.policy, proof.script)))
      const problem = isRed ? `expected ${wanted}, and it is ${proof.verdict}` : 'its script runs green'
      judged.push(isRed && proof.verdict === wanted ? proof : { ...proof, problem })
    }
  }
  return judged
}

function isRefused(played: Promise<void>): Promise<boolean> {
  return played.then(
    () => false,
    () => true,
  )
}
