import { textOf } from '../../../index.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import type { SuspendedCall } from '../setup/suspended-calls.ts'
import { nextChange } from './next-change.ts'

type Asking = Pick<Session, 'io' | 'store'>
type Asked = Pick<SuspendedCall, 'callId' | 'suspensionId'>

/**
 * The end of a question: the person's answer, undefined if the person left, or a text about an answer from elsewhere.
 */
export type Answered<Answer> = { readonly answer: Answer | undefined } | { readonly elsewhere: string }

/**
 * Asks a question until the person has answered, or until somebody has answered it elsewhere. In the second case the
 * signal fires, and `ask` returns undefined.
 */
export async function askWhileOpen<Answer>(
  session: Asking,
  runId: string,
  call: Asked,
  ask: (withdrawn: AbortSignal) => Promise<Answer | undefined>,
): Promise<Answered<Answer>> {
  const before = await closedBy(session, runId, call)
  if (before !== undefined) return { elsewhere: before }
  const withdrawn = new AbortController()
  const over = new AbortController()
  const elsewhere = untilClosed(session, runId, call, over.signal)
  elsewhere.then((said) => said !== undefined && withdrawn.abort()).catch(() => undefined)
  const answer = await ask(withdrawn.signal).finally(() => over.abort())
  const said = withdrawn.signal.aborted && answer === undefined ? await elsewhere : undefined
  return said === undefined ? { answer } : { elsewhere: said }
}

async function untilClosed(
  session: Asking,
  runId: string,
  call: Asked,
  over: AbortSignal,
): Promise<string | undefined> {
  for (let version = -1; !over.aborted;) {
    await nextChange(session, runId, over)
    if (over.aborted) return undefined
    const found = await session.store.record(runId)
    const said = (await session.store.inbox(runId, { isOpen: true })).length > 0
    if (found.version === version && !said) continue
    version = found.version
    const closed = await closedBy(session, runId, call)
    if (closed !== undefined) return closed
  }
  return undefined
}

/** Returns the reason why a question is closed, or undefined while it is open. */
async function closedBy({ store }: Asking, runId: string, call: Asked): Promise<string | undefined> {
  const rows = await store.inbox(runId, { kinds: ['decision'] })
  const decided = rows.flatMap(({ item }) => (item.kind === 'decision' ? item.decision : []))
  const decision = decided.find(({ suspensionId }) => suspensionId === call.suspensionId)
  if (decision !== undefined) {
    const { by, reason } = decision
    const why = reason === undefined ? '' : `: ${oneLine(reason, 500)}`
    return `Answered elsewhere: ${by === undefined ? 'somebody' : oneLine(by, 100)} ${wordFor(decision)} it${why}`
  }
  const record = (await store.calls(runId, [call.callId])).find((row) => row.record.callId === call.callId)?.record
  if (record?.status === 'suspended' && record.suspension?.id === call.suspensionId) return undefined
  const why = record?.result === undefined ? 'it is no longer asked' : oneLine(textOf(record.result), 500)
  return `The question is withdrawn: ${why}`
}

function wordFor({ action, input, result }: { action: string; input?: unknown; result?: unknown }): string {
  if (action === 'cancel') return 'denied'
  if (input !== undefined) return 'edited and approved'
  return result === undefined ? 'approved' : 'answered'
}
