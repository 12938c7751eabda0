import { type Model, ModelError, type ModelRequest, textOf } from '../../../index.ts'
import { toolCallsOf, type ToolResultMessage } from '../../../ports.ts'
import { readyModelFromEnvironment } from '../../../adapters/providers/from-environment.ts'
import { scripted, type ScriptedAnswer } from '../../../adapters/providers/scripted.ts'
import type { CliIo } from '../terminal/cli-io.ts'
import { misuse } from '../terminal/cli-error.ts'

/** The name of the demo, which needs no key and runs no commands. */
export const demoName = 'scripted'

/** Returns the named model, or else one that the environment's keys allow; throws if a key or a package is missing. */
export async function chooseModel(spec: string | undefined, { env }: CliIo): Promise<Model> {
  if (spec === demoName || spec?.startsWith(`${demoName}/`) === true) return demoModel()
  try {
    return await readyModelFromEnvironment(spec, env)
  } catch (error) {
    throw misuse('no_model', error instanceof Error ? error.message : `The model ${spec} cannot be used.`)
  }
}

/** A placeholder for commands that ask no model. */
export const noModel: Model = {
  provider: 'none',
  id: 'none',
  stream: () => {
    throw new ModelError('api', 'This command asks no model. Continue the run with "resume".')
  },
}

/**
 * Returns the model of `--model scripted`: it lists the working folder, reads one of its files, proposes to write a
 * note about the file, and reports the result. Each answer follows from the transcript, so any process can continue.
 */
function demoModel(): Model {
  return scripted(nextAnswer)
}

/** The file that the demo proposes to write. */
const demoFile = 'statewright-demo.md'

function nextAnswer({ messages }: ModelRequest): ScriptedAnswer {
  const since = messages.slice(messages.findLastIndex(isEnd) + 1)
  const listed = resultOf(since, 'list_files')
  if (listed === undefined) {
    return { text: 'I look at what is in the folder.', toolCalls: [{ name: 'list_files', arguments: {} }] }
  }
  const read = resultOf(since, 'read_file')
  const path = fileToRead(textOf(listed))
  if (read === undefined && path !== undefined) {
    const toolCalls = [{ name: 'read_file', arguments: { path, fromLine: 1, lines: 40 } }]
    return { text: `I read the start of ${path}.`, toolCalls }
  }
  const written = resultOf(since, 'write_file')
  if (written !== undefined) return { text: closingWords(written) }
  const content = noteOn(read === undefined ? undefined : path, read, textOf(listed))
  return {
    text: `I would like to write what I found to ${demoFile}. That needs your approval.`,
    toolCalls: [{ name: 'write_file', arguments: { path: demoFile, content } }],
  }
}

/** Returns true for the closing words of the demo; a later prompt restarts the demo. */
function isEnd(message: ModelRequest['messages'][number]): boolean {
  return message.role === 'assistant' && toolCallsOf(message).length === 0
}

function resultOf(messages: ModelRequest['messages'], toolName: string): ToolResultMessage | undefined {
  const results = messages.filter((message) => message.role === 'toolResult')
  return results.findLast((result) => result.toolName === toolName)
}

/** Returns the file to read: a README, else a manifest, else the first file. */
function fileToRead(listing: string): string | undefined {
  const files = listing.split('\n').filter((line) => /^[^."[][^/]*\.(md|txt|json|ts|js)$/i.test(line))
  const notOurs = files.filter((file) => file !== demoFile)
  return notOurs.find((file) => /^readme/i.test(file)) ?? notOurs.find((file) => file === 'package.json') ?? notOurs[0]
}

function noteOn(path: string | undefined, read: ToolResultMessage | undefined, listing: string): string {
  const entries = listing.split('\n').filter((line) => !/^[.[]/.test(line)).length
  const lines = ['# A note by the statewright demo', '', `Entries in the folder: ${entries}.`]
  if (path === undefined || read === undefined) return `${lines.join('\n')}\n`
  const first =
    textOf(read)
      .split('\n')
      .find((line) => line.trim() !== '') ?? ''
  return `${[...lines, '', `${path} begins with:`, '', `> ${first.slice(0, 200)}`].join('\n')}\n`
}

function closingWords(written: ToolResultMessage): string {
  if (!written.isError) return `Done: ${textOf(written)} This was the built-in demo: no model was asked.`
  return `Nothing was written: ${textOf(written)}. This was the built-in demo: no model was asked.`
}
