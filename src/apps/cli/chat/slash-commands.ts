import type { Run } from '../../../index.ts'
import { CliError, messageOf } from '../terminal/cli-error.ts'
import { describeCost, describeTime, describeTokens } from '../terminal/describe-amount.ts'
import { allRuns, shortIds } from '../runs/find-run.ts'
import { flow, plain } from '../terminal/flowing-text.ts'
import { oneLine } from '../terminal/safe-text.ts'
import type { Session } from '../setup/session.ts'
import type { Talk } from './talk.ts'
import type { Terminal } from './terminal.ts'

/** The dependencies of a chat command. */
export interface ChatParts {
  readonly session: Session
  readonly talk: Talk
  readonly terminal: Terminal
}

/** The next action after a command: drive a run, open another conversation, leave, or nothing. */
export type AfterCommand = { readonly run: Run } | { readonly opened: string } | { readonly left: true } | undefined

interface SlashCommand {
  readonly takes?: string
  readonly says: string
  /** True if the command is allowed while an answer is in progress. */
  readonly isMeanwhile?: boolean
  perform(parts: ChatParts, given: string): Promise<AfterCommand>
}

const commands: Readonly<Record<string, SlashCommand>> = {
  help: {
    says: 'this list',
    isMeanwhile: true,
    perform: async ({ terminal }) => print(terminal, ...helpLines()),
  },
  later: {
    takes: '<text>',
    says: 'send a message for after the answer; a line without / is read before the next turn',
    isMeanwhile: true,
    perform: async ({ talk, terminal }, text) => {
      if (text === '') return print(terminal, 'Add the message: /later <text>')
      await talk.conversation.followUp(text)
      terminal.queued = [...terminal.queued, text]
      return undefined
    },
  },
  cancel: {
    says: 'cancel the running or waiting run',
    isMeanwhile: true,
    perform: async ({ talk, terminal }) => {
      const { answer } = await talk.conversation.cancel('/cancel')
      return print(terminal, answer === 'stale' ? 'No run is running or waiting.' : 'Cancelling.')
    },
  },
  rerun: {
    says: 'answer the last prompt again',
    perform: async ({ talk }) => ({ run: await talk.rerun() }),
  },
  undo: {
    says: 'take back the last prompt; repeat it to go back further',
    perform: async ({ talk, terminal }) => {
      const prompt = await talk.undo()
      if (prompt === undefined) return print(terminal, 'There is no earlier prompt.')
      return print(terminal, `Your next prompt replaces: ${oneLine(prompt, 300)}`)
    },
  },
  fork: {
    says: 'continue in a copy of this conversation',
    perform: async ({ talk }) => ({ opened: await talk.fork() }),
  },
  model: {
    takes: '<provider/model>',
    says: 'use another model from the next prompt on',
    perform: async ({ talk, terminal }, model) => {
      if (model === '') return print(terminal, 'Name one: /model <provider/model>')
      if (talk.tools === undefined) return print(terminal, 'The model of this agent is set in its module.')
      return print(terminal, `From the next prompt on: ${oneLine(await talk.changeModel(model))}`)
    },
  },
  tools: {
    says: 'list the tools of the agent',
    isMeanwhile: true,
    perform: async ({ talk, terminal }) =>
      print(terminal, ...(talk.tools ?? [`The tools of agent "${oneLine(talk.agent.name)}" are set in its module.`])),
  },
  cost: {
    says: 'show the tokens and the cost so far',
    isMeanwhile: true,
    perform: async ({ talk, terminal }) => {
      const { usage, cost, turns } = await talk.conversation.usage()
      const answers = `${turns} ${turns === 1 ? 'answer' : 'answers'}`
      const paid = cost === 0 ? 'price unknown' : describeCost(cost)
      return print(terminal, `${answers}, ${describeTokens(usage.totalTokens)}, ${paid}`)
    },
  },
  runs: {
    says: 'list the runs of this conversation, newest first',
    isMeanwhile: true,
    perform: async ({ session, talk, terminal }) => {
      const runs = await session.store.list({ session: talk.conversation.id })
      const short = shortIds(await allRuns(session.store))
      const now = session.io.clock.now()
      const lines = runs.map((run) =>
        'damaged' in run
          ? `${oneLine(run.id)}  damaged`
          : `${short.get(run.id) ?? run.id}  ${describeTime(now - run.createdAt)}  ${run.status}  ${oneLine(run.prompt ?? '')}`,
      )
      return print(terminal, ...(lines.length === 0 ? ['no runs'] : lines))
    },
  },
  compact: {
    says: 'shorten the conversation before the model is asked next',
    isMeanwhile: true,
    perform: async ({ talk, terminal }) => {
      await talk.compact()
      return print(terminal, 'It will be shortened before the model is asked next.')
    },
  },
  exit: { says: 'leave; the conversation stays stored', perform: async () => ({ left: true }) },
}

/** The names of the commands. */
export const slashNames: readonly string[] = Object.keys(commands)

/** Returns true for a line that is a command instead of a prompt. */
export function isSlashCommand(line: string): boolean {
  return /^\/[a-z]+(\s|$)/.test(line)
}

/** Performs a command; prints errors. */
export async function performSlash(parts: ChatParts, line: string, isMeanwhile: boolean): Promise<AfterCommand> {
  const [, name = '', rest = ''] = /^\/([a-z]+)\s*([^]*)$/.exec(line) ?? []
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  const { terminal } = parts
  if (command === undefined) {
    return print(terminal, `Unknown command /${name}. Known: ${Object.keys(commands).join(', ')}.`)
  }
  if (isMeanwhile && command.isMeanwhile !== true)
    return print(terminal, `/${name} must wait for the end of the answer.`)
  try {
    return await command.perform(parts, rest.trim())
  } catch (error) {
    const hints = error instanceof CliError ? error.hints : []
    return print(terminal, oneLine(messageOf(error), 1_000), ...hints)
  }
}

function helpLines(): readonly string[] {
  const rows = Object.entries(commands).map(
    ([name, { takes = '', says }]) => `/${name} ${takes}`.trimEnd() + `: ${says}`,
  )
  return [
    ...rows,
    '@path attaches a file of the folder. Alt-Enter begins a new line. Up and down show earlier prompts; Ctrl-R finds one with the text of the draft.',
    'Tab completes commands and paths. Escape or Ctrl-C stops the answer; Ctrl-C twice leaves.',
    'Long results are cut here: statewright show last --full has all of them.',
  ]
}

function print({ screen }: Terminal, ...lines: readonly string[]): undefined {
  const look = { width: screen.columns - 1, paint: plain }
  for (const line of lines) screen.write(`${flow(line, look)}\n`)
}
