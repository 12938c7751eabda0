import type { CheckedDecision } from './check-decision.ts'
import type { DecisionRecord } from './audit-entry.ts'
import type { DecisionReceipt } from './decision.ts'
import type { StoredDecision } from './inbox.ts'
import { type DecisionFacts, findContradiction, judgeDecision } from './judge-decision.ts'

/** The receipts in the order of the items, with the rows to store. */
export interface JudgedDecisions {
  readonly receipts: readonly DecisionReceipt[]
  readonly rows: readonly StoredDecision[]
  /** The audit entries and grants to store with the rows. */
  readonly records: readonly DecisionRecord[]
}

/**
 * Judges the checked items of one `decide` against the stored facts; each item sees the rows of the items before it.
 * `given` has the records of the items, by index.
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

/** Returns the record of a decision; a kept decision grants nothing. */
function recordOf({ entry, grant }: DecisionRecord, { decisionId, suspensionId }: StoredDecision): DecisionRecord {
  const { grantId: _, ...others } = entry
  if (suspensionId === null || grant === undefined) return { entry: { ...others, decisionId } }
  return { entry: { ...others, decisionId, grantId: grant.id }, grant }
}

function contradictionMessage(target: string): string {
  return `Two decisions of this call contradict one another for "${target}". Nothing was stored: send one decision per target.`
}
