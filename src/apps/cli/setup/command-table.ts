import type { OptionName } from './option-table.ts'
import type { Options } from './options.ts'
import type { SuspendedCall } from './suspended-calls.ts'

interface CommandRow {
  /** Arguments in order; an argument that ends in `?` is optional. */
  readonly takes: readonly string[]
  readonly options: readonly OptionName[]
  readonly summary: string
}

const everywhere = ['store', 'agents', 'root', 'json', 'debug'] as const
const driving = [...everywhere, 'model', 'no-drive', 'trust'] as const

/** The commands: their arguments, options and summaries. */
export const commandTable = {
  run: {
    takes: ['prompt'],
    options: [...everywhere, 'agent', 'model', 'shell', 'file', 'trust'],
    summary: 'start a run and drive it until it ends or waits',
  },
  chat: {
    takes: [],
    options: [...everywhere, 'session', 'continue', 'agent', 'model', 'shell', 'trust'],
    summary: 'open a conversation in this terminal, as "statewright" alone does',
  },
  runs: {
    takes: [],
    options: [...everywhere, 'status', 'limit', 'agent', 'subject'],
    summary: 'list the stored runs, newest first',
  },
  sessions: {
    takes: [],
    options: [...everywhere, 'limit', 'agent', 'subject'],
    summary: 'list the conversations, last used first',
  },
  show: {
    takes: ['id'],
    options: [...everywhere, 'full'],
    summary: 'show the state of a run, its checkpoints, its transcript and its open questions',
  },
  watch: {
    takes: ['id'],
    options: everywhere,
    summary: 'follow a run until it waits or ends, whichever process drives it',
  },
  export: {
    takes: ['id'],
    options: [...everywhere, 'format'],
    summary: 'print all that is stored about a run',
  },
  record: {
    takes: ['id'],
    options: [...everywhere, 'options', 'out', 'allow'],
    summary: 'write a test that replays a run',
  },
  diff: {
    takes: [],
    options: [...everywhere, 'options', 'from', 'limit'],
    summary: 'replay stored runs with the agent of --options, and list what it would do differently',
  },
  coverage: {
    takes: [],
    options: [...everywhere, 'options', 'limit', 'out', 'allow'],
    summary: 'count the transitions that stored runs took; --out writes tests for those that no generated test takes',
  },
  prove: {
    takes: ['policy?'],
    options: ['options', 'out', 'limit', 'json', 'debug'],
    summary:
      'prove that every run up to a bound keeps a policy of the agent of --options, or write a test that breaks it',
  },
  forecast: {
    takes: [],
    options: [...everywhere, 'from'],
    summary:
      'say what the agents of --agents would do with the open runs, or do differently from those of --from; changes nothing',
  },
  approve: {
    takes: ['id', 'call?'],
    options: [...driving, 'reason', 'scope', 'input', 'retry'],
    summary: 'let a suspended call run; without a call, show each one and ask',
  },
  deny: { takes: ['id', 'call?'], options: [...driving, 'reason', 'scope'], summary: 'refuse a suspended call' },
  respond: {
    takes: ['id', 'call?', 'value'],
    options: [...driving, 'reason'],
    summary: 'give a value as the result of a suspended call, which then does not run',
  },
  resume: {
    takes: ['id'],
    options: [...everywhere, 'model'],
    summary: 'continue a run; if it waits for its model, ask the model again',
  },
  steer: {
    takes: ['id', 'text'],
    options: driving,
    summary: 'send a message to a run for its next turn; calls that have not started are skipped',
  },
  'follow-up': {
    takes: ['id', 'text'],
    options: driving,
    summary: 'send a message to a run, which reads it when it would end',
  },
  prompt: {
    takes: ['id', 'prompt'],
    options: [...everywhere, 'model', 'shell', 'file'],
    summary: 'continue a finished run with another prompt, in a new run',
  },
  compact: {
    takes: ['id'],
    options: driving,
    summary: 'shorten the conversation before the model is asked next',
  },
  fork: {
    takes: ['id'],
    options: [...driving, 'from'],
    summary: 'continue from an earlier checkpoint of a run, in a new run',
  },
  grants: {
    takes: [],
    options: [...everywhere, 'revoke'],
    summary: 'list the answers that apply to more than one call; --revoke revokes one',
  },
  cancel: { takes: ['id'], options: [...driving, 'reason'], summary: 'end a run' },
  delete: {
    takes: ['id?'],
    options: [...everywhere, 'session', 'yes'],
    summary: 'delete a run, or with --session a conversation and all its runs',
  },
  prune: {
    takes: [],
    options: [...everywhere, 'before', 'yes'],
    summary: 'delete the finished runs that have not changed since --before',
  },
  worker: {
    takes: [],
    options: [...everywhere, 'concurrency'],
    summary: 'drive the runs of --agents that nobody else drives, until Ctrl-C or SIGTERM',
  },
  workers: {
    takes: ['run?'],
    options: [...everywhere, 'retry'],
    summary: 'list the workers and the runs that they set aside; --retry gives a run back to them',
  },
  graph: {
    takes: ['chart?'],
    options: [...everywhere, 'format', 'run', 'overview'],
    summary: 'draw a chart: run, tool-call or model-call',
  },
  studio: {
    takes: [],
    options: [...everywhere, 'port', 'options'],
    summary: 'open a page on this machine to watch runs and answer their questions',
  },
  doctor: {
    takes: [],
    options: ['store', 'root', 'json', 'debug', 'model', 'runs'],
    summary: 'check this machine, and with --runs whether every open run can continue',
  },
  acp: {
    takes: [],
    options: ['store', 'root', 'debug', 'agents', 'agent', 'mcp'],
    summary: 'serve an agent of --agents to an editor, over standard input and output',
  },
  help: {
    takes: ['command?'],
    options: ['json', 'debug'],
    summary: 'list the commands, or explain one',
  },
} as const satisfies Record<string, CommandRow>

/** The name of a command. */
export type CommandName = keyof typeof commandTable

/** The commands in the order of the help. */
export const commandNames: readonly CommandName[] = Object.keys(commandTable).filter(isCommandName)

/** Returns true for the name of a command. */
export function isCommandName(word: string): word is CommandName {
  return Object.hasOwn(commandTable, word)
}

/** Returns the usage of a command, e.g. `statewright approve <id> [call]`. */
export function usageOf(name: CommandName): string {
  const row: CommandRow = commandTable[name]
  const words = row.takes.map((each) => (each.endsWith('?') ? `[${each.slice(0, -1)}]` : `<${each}>`))
  return ['statewright', name, ...words].join(' ')
}

/** Returns the row of a command. */
export function commandRow(name: CommandName): CommandRow {
  return commandTable[name]
}

/** The exact commands that answer a suspended call. */
export interface AnswerCommands {
  readonly approve: string
  /** Asks another model if the run waits for its own. */
  readonly another: string
  readonly deny: string
  readonly respond: string
  /** Shows the whole call. */
  readonly full: string
}

/** Returns the commands that answer a call, with the options that find the same run again. */
export function answerCommands(runId: string, call: SuspendedCall, options: Options): AnswerCommands {
  const own = [...optionWords(options), ...(options.drive ? [] : ['--no-drive'])]
  const target = [runId, call.callId]
  return {
    approve:
      call.reason === 'model_unavailable'
        ? resumeCommand(runId, options)
        : commandText(['approve', ...target, ...(call.mayHaveRun ? ['--retry'] : []), ...own]),
    another: `${resumeCommand(runId, { ...options, model: undefined })} --model <provider/name>`,
    deny: commandText(['deny', ...target, ...own]),
    respond: `${commandText(['respond', ...target, ...own])} <value>`,
    full: `${commandOn(['show', runId], options)} --full`,
  }
}

/** Returns the command that drives a run. */
export function resumeCommand(runId: string, options: Options): string {
  return commandText(['resume', runId, ...optionWords(options)])
}

/** A command and its arguments. */
type Words = readonly [CommandName, ...string[]]

/** Returns a command with the options that find the same run or conversation again. */
export function commandOn(words: Words, options: Options): string {
  return commandText([...words, ...optionWords({ ...options, model: undefined })])
}

/** Returns a command with the option that finds the same store again. */
export function commandOnStore(words: Words, { store }: Options): string {
  return commandText([...words, ...(store === undefined ? [] : ['--store', store])])
}

function optionWords({ store, agents, model, trust }: Options): readonly string[] {
  const named = Object.entries({ store, agents, model }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, value],
  )
  return [...named, ...(trust ? ['--trust'] : [])]
}

/** Joins words to a command, quoted for a POSIX shell if needed. */
function commandText(words: readonly string[]): string {
  const quote = (word: string) => (/^[\w@%+=:,./-]+$|^<\w+>$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
  return ['statewright', ...words.map(quote)].join(' ')
}
