import type { Options } from './parse-command.ts'
import type { SuspendedCall } from './suspended-calls.ts'

/** The exact commands that answer a suspended call. */
export interface AnswerCommands {
  readonly approve: string
  readonly deny: string
  readonly respond: string
  /** Shows the call with nothing left out. */
  readonly full: string
}

/** Writes the commands that answer a call, with the options that find the same run again. */
export function answerCommands(runId: string, call: SuspendedCall, options: Options): AnswerCommands {
  const own = [...optionWords(options), ...(options.drive ? [] : ['--no-drive'])]
  const target = [runId, call.callId]
  return {
    approve: commandText(['approve', ...target, ...(call.mayHaveRun ? ['--retry'] : []), ...own]),
    deny: commandText(['deny', ...target, ...own]),
    respond: `${commandText(['respond', ...target, ...own])} <value>`,
    full: fullCommand(runId, options),
  }
}

/** The command that drives a run on. */
export function resumeCommand(runId: string, options: Options): string {
  return commandText(['resume', runId, ...optionWords(options)])
}

/** The command that shows a run. */
export function showCommand(runId: string, options: Options): string {
  return commandText(['show', runId, ...optionWords({ ...options, model: undefined })])
}

/** The command that shows a run with nothing left out. */
function fullCommand(runId: string, options: Options): string {
  return `${showCommand(runId, options)} --full`
}

function optionWords({ store, model }: Options): readonly string[] {
  return Object.entries({ store, model }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
}

/** Quoted for a POSIX shell where a word needs it. */
function commandText(words: readonly string[]): string {
  const quote = (word: string) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
  return ['statewright', ...words.map(quote)].join(' ')
}
