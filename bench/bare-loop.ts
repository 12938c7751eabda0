import { assistantMessage, promptMessage, resultMessage } from './texts.ts'

/** What a hand-written loop plays. */
export interface BareRun {
  readonly turns: number
  /** Calls a turn, run at once. Default 1. */
  readonly calls?: number
  /** Where messages are kept, one after the other. Default: nowhere. */
  readonly keep?: (message: object, seq: number) => void
  /** What each call waits for. Default: nothing. */
  readonly gate?: (turn: number) => Promise<void>
}

/** The least loop that could do the work: no states, no decisions, no recovery, no proof. */
export async function bareLoop({ turns, calls = 1, keep = () => {}, gate }: BareRun): Promise<void> {
  const messages: object[] = []
  const add = (message: object) => {
    messages.push(message)
    keep(message, messages.length)
  }
  add(promptMessage())
  for (let turn = 0; turn < turns; turn++) {
    add(await askModel(turn, calls))
    const indexes = Array.from({ length: calls }, (_, index) => index)
    for (const result of await Promise.all(indexes.map((index) => runTool(turn, index, gate)))) add(result)
  }
  add(await askModel(turns, 0))
}

async function askModel(turn: number, calls: number): Promise<object> {
  return assistantMessage(turn, calls)
}

async function runTool(turn: number, index: number, gate: BareRun['gate']): Promise<object> {
  if (gate !== undefined) await gate(turn)
  return resultMessage(turn, index)
}
