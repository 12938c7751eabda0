import type { Run } from '../../index.ts'
import { toolCallsOf } from '../../index.ts'

/** The turns that ids of calls in a run count on from, as far as can be told: those its transcript began with. */
export async function carriedTurns(run: Run): Promise<number> {
  const { messages, turns } = await run.result()
  const answers = messages.filter(({ role }) => role === 'assistant')
  for (const message of answers.slice(0, answers.length - turns).toReversed()) {
    const callId = message.role === 'assistant' ? toolCallsOf(message)[0]?.callId : undefined
    const turn = Number(/^(\d{1,9})\./.exec(callId ?? '')?.[1])
    if (turn > 0) return turn
  }
  return 0
}
