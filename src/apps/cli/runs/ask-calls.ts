import type { Run } from '../../../index.ts'
import { revokingLine } from '../commands/grants-command.ts'
import type { Session } from '../setup/session.ts'
import { suspendedCalls } from '../setup/suspended-calls.ts'
import type { Dialog } from '../terminal/dialog.ts'
import { oneLine } from '../terminal/safe-text.ts'
import { askCall, type Given } from './ask-call.ts'
import { placeOf } from './describe-call.ts'
import { askWhileOpen } from './open-question.ts'

/**
 * Asks about each suspended call of a run, and stores each answer at once. If an answer is refused, asks again; if a
 * question is answered elsewhere, withdraws it. Returns false if the person left before any call was answered.
 */
export async function askCalls(session: Session, dialog: Dialog, run: Run, given: Given = {}): Promise<boolean> {
  const calls = await suspendedCalls(session, run.id)
  for (const [index, call] of calls.entries()) {
    for (let isRefused = true; isRefused;) {
      const asked = await askWhileOpen(session, run.id, call, (withdrawn) => {
        withdrawn.addEventListener('abort', () => dialog.withdraw())
        return askCall(session, dialog, run.id, call, { ...given, ...placeOf(index, calls) })
      }).finally(() => dialog.over())
      if ('elsewhere' in asked) {
        dialog.print(asked.elsewhere)
        break
      }
      const decision = asked.answer
      if (decision === undefined) return index > 0
      const [receipt] = await run.decide([decision])
      isRefused = receipt?.answer === 'refused'
      if (receipt?.message !== undefined) dialog.print(`${receipt.answer}: ${oneLine(receipt.message, 500)}`)
      if (decision.scope !== 'always') continue
      const line = isRefused ? trusting : await revokingLine(session, run.id, call.callId)
      if (line !== undefined) dialog.print(line)
    }
  }
  return true
}

/** Explains why an answer with scope `always` was refused, and when it is accepted. */
export const trusting =
  'A grant for always is stored in this folder, which may come from somebody else. So it applies only to runs that are started with --trust.'
