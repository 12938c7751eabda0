import type { Decision, Json } from '../../../index.ts'
import { answerCommands } from '../setup/command-table.ts'
import type { Session } from '../setup/session.ts'
import { type SuspendedCall, takesAlways } from '../setup/suspended-calls.ts'
import { nameOfUser } from '../setup/user-name.ts'
import { CliError } from '../terminal/cli-error.ts'
import { widthOf } from '../terminal/columns.ts'
import type { Dialog } from '../terminal/dialog.ts'
import { editText } from '../terminal/edit-text.ts'
import { pageText } from '../terminal/page-text.ts'
import { oneLine } from '../terminal/safe-text.ts'
import { type CallLook, describeCall } from './describe-call.ts'
import { readAsked } from './read-fields.ts'
import { readJson } from './read-value.ts'

/** The parts of an answer that come from the command line, such as other arguments. */
export type Given = Pick<Decision, 'input' | 'reason' | 'scope'>

/** Shows a suspended call and asks for its answer by keys; returns undefined if the person leaves it for later. */
export async function askCall(
  session: Session,
  dialog: Dialog,
  runId: string,
  suspended: SuspendedCall,
  { input, reason, scope, place }: Given & Pick<CallLook, 'place'>,
): Promise<Decision | undefined> {
  const { preview: _, ...others } = suspended
  const call = input === undefined ? suspended : { ...others, arguments: input }
  const answers = answerCommands(runId, call, session.options)
  const look = { ...session, isAsked: true, ...(place === undefined ? {} : { place }) }
  dialog.print(describeCall(call, answers, look))
  const head = { target: call.suspensionId, ...(reason === undefined ? {} : { reason }), ...nameOfUser() }
  const yes = { ...head, action: 'resume', ...(scope === undefined ? {} : { scope }) } as const
  let draft: string | undefined
  for (;;) {
    switch (await askKey(call, dialog, session.io.columns || 80)) {
      case undefined:
        return undefined
      case 'yes': {
        if (!wantsValue(call)) return { ...yes, ...(input === undefined ? {} : { input }) }
        const result = await readAsked(call, dialog)
        return result === undefined ? undefined : { ...head, action: 'resume', mode: 'use-as-result', result }
      }
      case 'no': {
        const why = reason ?? (await dialog.line('Why? (Enter gives no reason) '))?.trim()
        return why === undefined ? undefined : { ...head, action: 'cancel', ...(why === '' ? {} : { reason: why }) }
      }
      case 'edit': {
        const written = await edited(session, dialog, call.arguments, draft)
        if (written.input !== undefined) return { ...yes, input: written.input }
        draft = written.draft
        break
      }
      case 'view':
        await pageText(describeCall(call, answers, { ...look, part: 'rest' }), dialog, session.io)
        break
      case 'always': {
        dialog.print(grantedText(call))
        // Asks for a different key, so that a held key is not an answer.
        const second = await dialog.key('Allow all of this? [y/n] ')
        if (second === undefined) return undefined
        if (second === 'y') return { ...head, action: 'resume', scope: 'always' }
      }
    }
  }
}

const says = {
  yes: 'let it run',
  no: 'refuse it; you are asked why, and the model reads the reason',
  edit: 'change its arguments in $VISUAL or $EDITOR, and let it run',
  view: 'show the rest, if it was cut',
  always: 'let every similar call run; first says which',
}

type Choice = keyof typeof says

/** Asks until one of the keys is pressed, and explains them after any other key. Undefined if the person leaves. */
export async function askKey(call: SuspendedCall, dialog: Dialog, columns: number): Promise<Choice | undefined> {
  const { question, choices } = questionOf(call)
  const names = Object.keys(choices) as Choice[]
  const keys = `${question} [${[...names.map((name) => name[0]), '?'].join('/')}] `
  const words = `${[...names, 'help'].join(', ')}: `
  for (;;) {
    const key = await dialog.key(widthOf(keys + words) < columns ? keys + words : keys)
    if (key === undefined) return undefined
    const chosen = names.find((name) => name[0] === key)
    if (chosen !== undefined) return chosen
    for (const name of names) dialog.print(`  ${name[0]}  ${name}: ${choices[name]}`)
    dialog.print('  Ctrl-C leaves it for later.')
  }
}

/** Returns true for a call that is answered by a value. */
function wantsValue({ reason }: SuspendedCall): boolean {
  return reason === 'input' || reason === 'service' || reason === 'limit'
}

function questionOf(call: SuspendedCall): { readonly question: string; readonly choices: Partial<typeof says> } {
  const { yes, no, edit, view, always } = says
  if (call.reason === 'model_unavailable')
    return { question: 'Ask the model again?', choices: { yes: 'ask it', no: 'end the run; you are asked why' } }
  if (wantsValue(call)) return { question: 'Answer it?', choices: { yes: 'give the value', no, view } }
  const choices = { yes, no, edit, view, ...(takesAlways(call) ? { always } : {}) }
  if (!call.mayHaveRun) return { question: 'Approve?', choices }
  return { question: 'It may have run already. Run it again?', choices }
}

/** Returns the text that explains the effect of an approval with scope `always`. */
function grantedText({ toolName, rule }: SuspendedCall): string {
  const asked = rule === undefined ? '' : ` that the rule ${oneLine(rule, 200)} asks about`
  return `This allows every call of ${oneLine(toolName, 100)}${asked}, with any arguments, in all your runs with this agent, until you revoke it.`
}

/** The result of the editor: other arguments, or a text that is not valid yet; neither if nothing was changed. */
interface Written {
  readonly input?: Json
  readonly draft?: string
}

/** Lets the person edit the arguments, starting from an earlier draft if there is one. */
async function edited({ io }: Session, dialog: Dialog, given: Json, draft: string | undefined): Promise<Written> {
  const before = JSON.stringify(given, null, 2)
  let kept = draft
  try {
    const text = await dialog.lend(async () => await editText(`${draft ?? before}\n`, io))
    const written = text.trim()
    if (written === before || written === '') {
      dialog.print(`${written === '' ? 'The file is empty: nothing' : 'Nothing'} was changed.`)
      return {}
    }
    kept = written
    return { input: readJson(written, 'The text') }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const hints = kept === undefined ? error.hints : [...error.hints, 'Press e to continue with your text.']
    dialog.print([error.message, ...hints].join(' '))
    return kept === undefined ? {} : { draft: kept }
  }
}
