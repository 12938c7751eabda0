import type { CheckedDecision } from './check-decision.ts'
import type { DecisionReceipt } from './decision.ts'
import type { StoredDecision } from './inbox.ts'
import { type DecisionFacts, findContradiction, judgeDecision } from './judge-decision.ts'

/** Receipts in the order of the items, and the rows to store with them. */
export interface JudgedDecisions {
  readonly receipts: readonly DecisionReceipt[]
  readonly rows: readonly StoredDecision[]
}

/** Judges the items of one `decide`, checked before, against what is stored, each seeing the rows of the ones before it. */
export function judgeDecisions(checked: readonly CheckedDecision[], facts: DecisionFacts): JudgedDecisions {
  const sound = checked.flatMap((item) => ('decision' in item ? [item.decision] : []))
  const contradicted = findContradiction(sound, facts)
  const rows: StoredDecision[] = []
  const receipts = checked.map((item): DecisionReceipt => {
    if ('problem' in item) return { target: item.target, answer: 'refused', message: item.problem }
    const { target } = item.decision
    if (contradicted !== undefined) return { target, answer: 'refused', message: contradictionMessage(contradicted) }
    const { receipt, row } = judgeDecision(item.decision, { ...facts, decisions: [...facts.decisions, ...rows] })
    if (row === undefined && receipt.answer !== 'refused') return receipt
    const decisionId = row?.decisionId ?? item.decision.decisionId
    const taken = [...facts.decisions, ...rows].find((other) => other.decisionId === decisionId)
    if (taken !== undefined) {
      const message = `Decision id "${taken.decisionId}" was used for call "${taken.callId}". Give each decision its own id.`
      return { target, answer: 'duplicate', message, decisionId: taken.decisionId }
    }
    if (row !== undefined) rows.push(row)
    return receipt
  })
  return { receipts, rows }
}

function contradictionMessage(target: string): string {
  return `Two decisions of this call contradict one another for "${target}". Nothing was stored: send one decision a target.`
}
