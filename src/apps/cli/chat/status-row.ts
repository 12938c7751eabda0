import { describeCost, describeDuration, describeTokens } from '../terminal/describe-amount.ts'

/** The parts of the row that says what goes on. */
export interface StatusParts {
  /** Empty if nothing is under way. */
  readonly label: string
  /** Milliseconds since the label was set. */
  readonly tookMs: number
  /** The state of the run's chart; empty if it is unknown. */
  readonly chart: string
  /** Tokens and US dollars of the conversation. */
  readonly used: { readonly tokens: number; readonly cost: number }
}

/** Builds the row that says what goes on, and what the conversation took. */
export function statusRow({ label, tookMs, chart, used: { tokens, cost } }: StatusParts): string {
  return [
    label === '' ? 'ready' : `${label} ${describeDuration(tookMs)}`,
    ...(label === '' || chart === '' ? [] : [chart]),
    ...(tokens === 0 ? [] : [describeTokens(tokens)]),
    ...(cost === 0 ? [] : [describeCost(cost)]),
  ].join(' | ')
}
