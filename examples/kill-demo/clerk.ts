import { join } from 'node:path'
import { z } from 'zod'
import { type Agent, createAgent, type Store, tool, type Tool, type ToolContext } from '../../src/index.ts'
import { fileTools } from '../../src/adapters/tools/files.ts'
import { Journal } from './journal.ts'
import { clerkModel } from './clerk-model.ts'

/** The id of the run that all three processes drive. */
export const runId = 'demo'

/** The prompt of the run. */
export const prompt = 'Look around this repository, note what you find, and write a summary.'

export interface ClerkOptions {
  readonly store: Store
  /** The repository, which is read and never written. */
  readonly repository: string
  /** The new folder for the summary and the journal. */
  readonly folder: string
  /** Called inside the note tool, before and after its line is written to disk. */
  readonly inTool?: (moment: 'before' | 'after', context: ToolContext) => Promise<void>
}

/** Returns an agent that reads a repository, keeps a journal and writes one file; it is the same in every process. */
export function clerk({ store, repository, folder, inTool }: ClerkOptions): Agent {
  const journal = journalIn(folder)
  const reading = fileTools({ root: repository }).filter(({ name }) => name !== 'write_file')
  const writing = fileTools({ root: folder }).filter(({ name }) => name === 'write_file')
  return createAgent({
    name: 'clerk',
    instructions: 'You look after a repository.',
    model: clerkModel,
    tools: [
      ...reading,
      noteTool(journal, inTool ?? (async () => {})),
      ...writing.map((write) => counted(write, journal)),
    ],
    store,
  })
}

/** Returns the journal of a demo folder. */
export function journalIn(folder: string): Journal {
  return new Journal(join(folder, 'journal.jsonl'))
}

function noteTool(journal: Journal, inTool: NonNullable<ClerkOptions['inTool']>): Tool {
  return tool({
    name: 'note',
    description: 'Appends a line to the journal.',
    input: z.object({ text: z.string() }),
    effects: 'once',
    execute: async ({ text }, context) => {
      await inTool('before', context)
      journal.append({ ...context, text })
      await inTool('after', context)
      return noted(text)
    },
  })
}

/** Returns the result of a note, for the tool and for a caller that finds its line in the journal. */
export function noted(text: string): string {
  return `Noted: ${text}`
}

/** Returns the real tool with a journal; each performance adds a line. */
function counted(write: Tool, journal: Journal): Tool {
  return {
    ...write,
    execute: async (input: never, context) => {
      const result = await write.execute(input, context)
      journal.append({ ...context, text: 'written' })
      return result
    },
  }
}
