import type { Decision, Json } from '../../../index.ts'
import { answerCommands } from '../setup/command-table.ts'
import { CliError } from '../terminal/cli-error.ts'
import { type CallLook, describeCall } from '../runs/describe-call.ts'
import { readAsked } from '../runs/read-fields.ts'
import { readJson } from '../runs/read-value.ts'
import type { Session } from '../setup/session.ts'
import { oneLine } from '../terminal/safe-text.ts'
import { type SuspendedCall, takesAlways } from '../setup/suspended-calls.ts'
import { nameOfUser } from '../setup/user-name.ts'
import { editText } from './edit-text.ts'
import type { Terminal } from './terminal.ts'

/** Shows a suspended call and asks for its answer; returns undefined if the person leaves it for later. */
export async function answerCall(
  session: Session,
  terminal: Terminal,
  runId: string,
  call: SuspendedCall,
  place: Pick<CallLook, 'place'>,
): Promise<Decision | undefined> {
  const { options } = session
  const answers = answerCommands(runId, call, options)
  const io = { ...session.io, columns: terminal.screen.columns }
  const print = (text: string) => terminal.screen.write(`${text}\n`)
  const described = (full: boolean) =>
    describeCall(call, answers, { ...session, io, options: { ...options, full }, hidesCommands: true, ...place })
  print(described(options.full))
  const decision = { target: call.suspensionId, ...nameOfUser() }
  if (call.reason === 'input' || call.reason === 'service' || call.reason === 'limit')
    return await answerValue(terminal, call, decision)
  const [question, help] = [questionOf(call), helpOf(call)]
  let draft: string | undefined
  let key = await terminal.key(question)
  for (; key !== undefined; key = await terminal.keyAgain(question)) {
    if (key === 'y') return { ...decision, action: 'resume' }
    if (key === 'n') return await refusal(terminal, decision)
    if (key === 'v') print(described(true))
    else if (call.reason === 'model_unavailable') print('Press y to ask it again, n to end the run.')
    else if (key === 'a' && takesAlways(call)) {
      print(grantedText(call))
      // Asks for a different key, so that a held key is not an answer.
      const second = await terminal.keyAgain('Allow all of this? [y/n] ')
      if (second === undefined) return undefined
      if (second === 'y') return { ...decision, action: 'resume', scope: 'always' }
    } else if (key === 'e') {
      const written = await edited(session, terminal, call.arguments, draft)
      if (written.input !== undefined) return { ...decision, action: 'resume', input: written.input }
      draft = written.draft
    } else {
      print(help)
    }
  }
  return undefined
}

function questionOf(call: SuspendedCall): string {
  if (call.reason === 'model_unavailable') return 'Ask the model again? [y/n] '
  return `${call.mayHaveRun ? 'Run it again?' : 'Approve?'} [y/n/e/v${takesAlways(call) ? '/a' : ''}] `
}

function helpOf(call: SuspendedCall): string {
  const always = takesAlways(call) ? ', a: yes to all calls like it, which is shown first' : ''
  return `y: yes, n: no, e: edit what it runs with, v: see all of it${always}. Ctrl-C leaves it for later.`
}

/** Returns the text that explains the effect of an approval with scope `always`. */
function grantedText({ toolName, rule }: SuspendedCall): string {
  const asked = rule === undefined ? '' : ` that the rule ${oneLine(rule, 200)} asks about`
  return `This allows every call of ${oneLine(toolName, 100)}${asked}, with any arguments, in all your runs with this agent, until it is taken back.`
}

type Head = Pick<Decision, 'target' | 'by'>

async function refusal(terminal: Terminal, head: Head): Promise<Decision | undefined> {
  const why = await terminal.line('Why? ')
  if (why === undefined) return undefined
  return { ...head, action: 'cancel', ...(why.trim() === '' ? {} : { reason: why.trim() }) }
}

async function answerValue(terminal: Terminal, call: SuspendedCall, head: Head): Promise<Decision | undefined> {
  // Earlier input is a draft; only a line typed from here on is an answer.
  const key = await terminal.key('[Enter answers, n refuses] ')
  if (key === undefined) return undefined
  if (key === 'n') return await refusal(terminal, head)
  const print = (text: string) => terminal.screen.write(`${text}\n`)
  const result = await readAsked(call, { ask: (question) => terminal.line(question), print })
  return result === undefined ? undefined : { ...head, action: 'resume', mode: 'use-as-result', result }
}

/** The result of the editor: other arguments, or a text that is not valid yet; neither if nothing was changed. */
interface Written {
  readonly input?: Json
  readonly draft?: string
}

/** Lets the person edit the arguments, starting from an earlier draft if there is one. */
async function edited({ io }: Session, terminal: Terminal, given: Json, draft: string | undefined): Promise<Written> {
  const before = JSON.stringify(given, null, 2)
  let kept = draft
  try {
    const text = await terminal.lend(async () => await editText(`${draft ?? before}\n`, io))
    const written = text.trim()
    if (written === before || written === '') {
      terminal.screen.write(`${written === '' ? 'The file is empty: nothing' : 'Nothing'} was changed.\n`)
      return {}
    }
    kept = written
    return { input: readJson(written, 'What was written') }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const hints = kept === undefined ? error.hints : [...error.hints, 'Press e to go on with what you wrote.']
    terminal.screen.write(`${[error.message, ...hints].join(' ')}\n`)
    return kept === undefined ? {} : { draft: kept }
  }
}
