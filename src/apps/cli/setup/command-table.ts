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
    summary: 'start a run and drive it',
  },
  chat: {
    takes: [],
    options: [...everywhere, 'session', 'continue', 'agent', 'model', 'shell', 'trust'],
    summary:
      'hold a conversation at the terminal, a new one or that of --session <id>; the command at a terminal without others',
  },
  runs: {
    takes: [],
    options: [...everywhere, 'status', 'limit', 'agent', 'subject'],
    summary: 'list stored runs, the newest first',
  },
  sessions: {
    takes: [],
    options: [...everywhere, 'limit', 'agent', 'subject'],
    summary: 'list conversations, the last active first',
  },
  show: {
    takes: ['id'],
    options: [...everywhere, 'full'],
    summary: 'status, checkpoints, transcript, what is suspended',
  },
  watch: {
    takes: ['id'],
    options: everywhere,
    summary: 'follow a run that any process drives, until it rests; it is not driven here',
  },
  export: {
    takes: ['id'],
    options: [...everywhere, 'format'],
    summary: 'print all that is stored of a run: --format json, or markdown for its transcript',
  },
  record: {
    takes: ['id'],
    options: [...everywhere, 'options', 'out', 'allow'],
    summary: 'write a test that plays a run again; it shows only what --allow names',
  },
  diff: {
    takes: [],
    options: [...everywhere, 'options', 'from', 'limit'],
    summary: 'step stored runs through the agent of --options, and list what it would ask and do otherwise',
  },
  coverage: {
    takes: [],
    options: [...everywhere, 'options', 'limit', 'out', 'allow'],
    summary:
      'count the transitions that stored runs took; with --out <folder>, write tests for those that no generated test takes',
  },
  prove: {
    takes: ['policy?'],
    options: ['options', 'out', 'limit', 'json', 'debug'],
    summary:
      'prove a policy, or those of the agent of --options, over every run within a bound, or write a test that breaks it',
  },
  forecast: {
    takes: [],
    options: [...everywhere, 'from'],
    summary:
      'what the agents of --agents <module> would do with the open runs, or differently from those of --from <module>; nothing is performed or written',
  },
  approve: {
    takes: ['id', 'call?'],
    options: [...driving, 'reason', 'scope', 'input', 'retry'],
    summary: 'let a suspended call run, as edited by --input <JSON>, and others like it by --scope',
  },
  deny: { takes: ['id', 'call?'], options: [...driving, 'reason', 'scope'], summary: 'refuse a suspended call' },
  respond: {
    takes: ['id', 'call?', 'value'],
    options: [...driving, 'reason'],
    summary: 'answer a suspended call with a value; it does not run',
  },
  resume: {
    takes: ['id'],
    options: [...everywhere, 'model'],
    summary: 'drive a run on; one that waits for its model asks it again',
  },
  steer: {
    takes: ['id', 'text'],
    options: driving,
    summary: 'send a message to a run, read before its next turn; unstarted calls are skipped',
  },
  'follow-up': { takes: ['id', 'text'], options: driving, summary: 'say something to a run, heard once it would end' },
  prompt: {
    takes: ['id', 'prompt'],
    options: [...everywhere, 'model', 'shell', 'file'],
    summary: 'go on with the conversation of a run that is done, in a new run, and drive that',
  },
  compact: {
    takes: ['id'],
    options: driving,
    summary: 'have what the model is sent of a run made smaller before it is asked next',
  },
  fork: {
    takes: ['id'],
    options: [...driving, 'from'],
    summary: 'go on from a checkpoint of a run, in a new run, and drive that',
  },
  grants: {
    takes: [],
    options: [...everywhere, 'revoke'],
    summary: 'what answers with --scope once|run|family|always allow or deny; --revoke <id> takes one back',
  },
  cancel: { takes: ['id'], options: [...driving, 'reason'], summary: 'end a run' },
  delete: {
    takes: ['id?'],
    options: [...everywhere, 'session', 'yes'],
    summary: 'delete a run, or a conversation with all its runs by --session <id>',
  },
  prune: {
    takes: [],
    options: [...everywhere, 'before', 'yes'],
    summary: 'delete the runs that are done and have not changed since --before',
  },
  worker: {
    takes: [],
    options: [...everywhere, 'concurrency'],
    summary: 'drive the runs of --agents <module> that nobody drives, until Ctrl-C or SIGTERM',
  },
  workers: {
    takes: ['run?'],
    options: [...everywhere, 'retry'],
    summary: 'list workers and the runs that they leave alone; --retry <run> returns one to them',
  },
  graph: {
    takes: ['chart?'],
    options: [...everywhere, 'format', 'run', 'overview'],
    summary: 'draw a chart: run, tool-call or model-call; with --run <id>, the states that run came by',
  },
  studio: {
    takes: [],
    options: [...everywhere, 'port', 'options'],
    summary: 'serve a page on this machine that shows the runs and decides what they wait for',
  },
  doctor: {
    takes: [],
    options: ['store', 'root', 'json', 'debug', 'model', 'runs'],
    summary: 'check this machine; with --runs, list open runs that this version could not continue',
  },
  acp: {
    takes: [],
    options: ['store', 'root', 'debug', 'agents', 'agent', 'mcp'],
    summary: 'serve an agent of --agents to an editor, over standard input and output',
  },
  help: {
    takes: ['command?'],
    options: ['json', 'debug'],
    summary: 'this text, or what there is to know of a command',
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
