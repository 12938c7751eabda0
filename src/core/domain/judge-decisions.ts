import type { CheckedDecision } from './check-decision.ts'
import type { DecisionRecord } from './audit-entry.ts'
import type { DecisionReceipt } from './decision.ts'
import type { StoredDecision } from './inbox.ts'
import { type DecisionFacts, findContradiction, judgeDecision } from './judge-decision.ts'

/** Receipts in the order of the items, and the rows to store with them. */
export interface JudgedDecisions {
  readonly receipts: readonly DecisionReceipt[]
  readonly rows: readonly StoredDecision[]
  /** What is stored with these rows. */
  readonly records: readonly DecisionRecord[]
}

/**
 * Judges the items of one `decide`, checked before, against what is stored, each seeing the rows of the ones before it.
 * `given` has what is stored with each of them, by its place.
 */
export function judgeDecisions(
  checked: readonly CheckedDecision[],
  facts: DecisionFacts,
  given: readonly (DecisionRecord | undefined)[] = [],
): JudgedDecisions {
  const sound = checked.flatMap((item) => ('decision' in item ? [item.decision] : []))
  const contradicted = findContradiction(sound, facts)
  const rows: StoredDecision[] = []
  const records: DecisionRecord[] = []
  const receipts = checked.map((item, place): DecisionReceipt => {
    if ('problem' in item) return { target: item.target, answer: 'refused', message: item.problem }
    const { target } = item.decision
    if (contradicted !== undefined) return { target, answer: 'refused', message: contradictionMessage(contradicted) }
    const seen = { ...facts, decisions: [...facts.decisions, ...rows] }
    const record = given[place]
    const { receipt, row } = judgeDecision(item.decision, seen, record?.grant !== undefined)
    if (row === undefined && receipt.answer !== 'refused') return receipt
    const decisionId = row?.decisionId ?? item.decision.decisionId
    const taken = [...facts.decisions, ...rows].find((other) => other.decisionId === decisionId)
    if (taken !== undefined) {
      const message = `Decision id "${taken.decisionId}" was used for call "${taken.callId}". Give each decision its own id.`
      return { target, answer: 'duplicate', message, decisionId: taken.decisionId }
    }
    if (row === undefined) return receipt
    const kept = record === undefined ? undefined : recordOf(record, row)
    rows.push(kept?.grant === undefined ? row : { ...row, grantId: kept.grant.id })
    if (kept !== undefined) records.push(kept)
    return receipt
  })
  return { receipts, rows, records }
}

/** Nothing is granted by a decision that waits for a question. */
function recordOf({ entry, grant }: DecisionRecord, { decisionId, suspensionId }: StoredDecision): DecisionRecord {
  const { grantId: _, ...others } = entry
  if (suspensionId === null || grant === undefined) return { entry: { ...others, decisionId } }
  return { entry: { ...others, decisionId, grantId: grant.id }, grant }
}

function contradictionMessage(target: string): string {
  return `Two decisions of this call contradict one another for "${target}". Nothing was stored: send one decision a target.`
}
