import { type Agent, createAgent, type Model, type Store } from '../index.ts'
import { sqliteStore } from '../stores/sqlite-store.ts'
import { fileTools } from '../tools/files.ts'
import { chooseModel, modelOfRun, noModel } from './choose-model.ts'
import type { CliIo } from './cli-io.ts'
import { makeFolder, type Places, placesOf, requireFile } from './open-store.ts'
import { createPaint, type Paint } from './paint.ts'
import type { Options } from './parse-command.ts'
import { personAt, type Person } from './person.ts'

/** What a command works with while it runs. */
export interface Session {
  readonly io: CliIo
  readonly options: Options
  readonly paint: Paint
  readonly person: Person
  readonly store: Store
  /** True where a person may be asked: on a terminal, and not for a program that reads JSON. */
  readonly isInteractive: boolean
  /** The agent of this folder; its model is the one named, else the stored run's, else the environment's. */
  agent(runId?: string): Promise<Agent>
  /** The same for work that asks no model, such as storing a decision or ending a run. */
  agentWithoutModel(): Agent
  /** Prints lines for people. */
  readonly print: (...lines: readonly string[]) => void
  close(): Promise<void>
}

/** Opens the store and whatever else a command needs; only `run` makes a store that is not there, and not without a model. */
export async function openSession(io: CliIo, options: Options, { creates }: { creates: boolean }): Promise<Session> {
  const places = placesOf(io, options)
  if (creates) chooseModel(options.model, io)
  await (creates ? makeFolder(places) : requireFile(places))
  const store = sqliteStore(places.file)
  const person = personAt(io)
  const agentOn = (model: Model) => {
    const tools = fileTools({ root: places.root })
    return createAgent({ name: 'statewright', model, instructions, tools, store })
  }
  return {
    io,
    options: withPlaces(options, places),
    paint: createPaint(io),
    person,
    store,
    isInteractive: io.isTTY && !options.json,
    async agent(runId) {
      const spec = options.model ?? (runId === undefined ? undefined : await modelOfRun(store, runId))
      return agentOn(chooseModel(spec, io))
    },
    agentWithoutModel: () => agentOn(noModel),
    print: (...lines) => {
      for (const line of lines) io.stdout.write(`${line}\n`)
    },
    async close() {
      person.leave()
      await store.close()
    },
  }
}

/** Commands that are printed for later name a given place so that it is found from any folder. */
function withPlaces(options: Options, { root, file }: Places): Options {
  if (options.store === undefined && options.root === undefined) return options
  return { ...options, root, store: options.store === undefined ? undefined : file }
}

const instructions = [
  'You help a person with the files of one folder, by the tools you are given.',
  'Paths are relative to that folder. Look before you write, and write only what was asked for.',
  'A write needs the approval of the person; where it is denied, do not try again without being asked.',
].join('\n')
