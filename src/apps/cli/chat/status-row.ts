import { describeCost, describeDuration, describeTokens } from '../terminal/describe-amount.ts'

/** The parts of the status row. */
export interface StatusParts {
  /** The current activity; empty without one. */
  readonly label: string
  /** Milliseconds since the label was set. */
  readonly tookMs: number
  /** The state of the run's chart; empty if it is unknown. */
  readonly chart: string
  /** Tokens and US dollars of the conversation. */
  readonly used: { readonly tokens: number; readonly cost: number }
}

/** Returns the status row: the current activity, and the conversation's usage. */
export function statusRow({ label, tookMs, chart, used: { tokens, cost } }: StatusParts): string {
  return [
    label === '' ? 'ready' : `${label} ${describeDuration(tookMs)}`,
    ...(label === '' || chart === '' ? [] : [chart]),
    ...(tokens === 0 ? [] : [describeTokens(tokens)]),
    ...(cost === 0 ? [] : [describeCost(cost)]),
  ].join(' | ')
}
