import { resolve } from 'node:path'
import { sqliteStore } from '../../../adapters/stores/sqlite/sqlite-store.ts'
import { type Agent, createAgent, type Model, type Run, type Store } from '../../../index.ts'
import type { Inspect, RunLabels, StoredStanding } from '../../../ports.ts'
import type { EditorSession } from '../../../servers/acp.ts'
import { withFiles } from './attached-files.ts'
import { chooseModel, demoName, noModel } from './choose-model.ts'
import { requireShell, toolsOf } from './choose-shell.ts'
import { type CliIo, createPaint, type Paint } from '../terminal/cli-io.ts'
import { misuse } from '../terminal/cli-error.ts'
import type { CallPreview } from '../../../testing/index.ts'
import { loadAgents } from './load-agents.ts'
import { oneLine, safeJson } from '../terminal/safe-text.ts'
import {
  makeFolder,
  type Places,
  placesOf,
  printedAddress,
  requireFile,
  agentName,
  foreignRun,
  homeOf,
  requireRoot,
  type RunHome,
  rootOf,
} from './places.ts'
import { offerShell } from './offer-shell.ts'
import type { Options } from './options.ts'
import { personAt, type Person } from '../terminal/person.ts'
import { readPermissions } from './read-permissions.ts'
import { userName } from './user-name.ts'

/** The resources of a command while it runs. */
export interface Session {
  readonly io: CliIo
  readonly options: Options
  readonly paint: Paint
  readonly person: Person
  readonly store: Store
  /** The user's own agents, from `--agents`. */
  readonly agents: readonly Agent[]
  /** True if a person may be asked: on a terminal, and without JSON output. */
  readonly isInteractive: boolean
  /**
   * Returns the agent of the next run of a conversation. It uses the folder and the model of the conversation's last
   * run, unless a model is named. Only the module itself inspects an agent of a module.
   */
  agentForTalk(
    lastRun: string | undefined,
    options?: { readonly model?: string; readonly inspect?: Inspect },
  ): Promise<NewRunAgent>
  /** Returns the agent of the module for a session of an editor. Its close also closes what the module has made with it. */
  agentForEditor(editor: EditorSession): Promise<Agent>
  /** Stores a new run that works in this folder, with the named model or else the environment's. */
  start(prompt: string): Promise<{ readonly agent: Agent; readonly run: Run }>
  /**
   * Stores a new run that continues a finished run, in the same folder, with the same model and sandbox unless others
   * are named. Throws the `UsageError` of `run.prompt` if the original is not done.
   */
  goOn(originalId: string, prompt: string): Promise<{ readonly agent: Agent; readonly run: Run }>
  /** Returns the folder and the model of a stored run, or undefined for a run of another program. */
  homeOf(runId: string): Promise<RunHome | undefined>
  /** Returns the agent that drives a stored run in its own folder, with its own model unless one is named. */
  agentOf(runId: string): Promise<Agent>
  /** Returns an agent for commands that ask no model, such as a cancel. */
  agentWithoutModelOf(runId: string): Promise<Agent>
  /** Returns an agent that only stores items for runs and drives nothing. */
  storingAgent(): Agent
  /** Returns the effect of each answer to a waiting run; empty if this process does not have its agent. */
  previewsOf(runId: string): Promise<readonly CallPreview[]>
  /** Returns the state of a stored run, including its transcript. */
  standingOf(runId: string): Promise<StoredStanding>
  /** Prints lines for people. */
  readonly print: (...lines: readonly string[]) => void
  /** Prints a value as a line of JSON, for a program. */
  readonly emit: (value: object) => void
  close(): Promise<void>
}

/** An agent for new runs, with the data that is stored with them. */
export interface NewRunAgent {
  readonly agent: Agent
  readonly details: { readonly labels?: RunLabels; readonly userId?: string }
  /** The folder that mentioned files are relative to. */
  readonly root: string
  /** Names of its tools; undefined for an agent of a module, whose tools are unknown here. */
  readonly tools?: readonly string[]
}

/** Differences between commands before they begin. */
export interface SessionNeeds {
  /** Creates a missing store, but only if a model is available. */
  readonly creates: boolean
  /** True if the command starts a new run, which keeps the named model. Default: `creates`. */
  readonly startsRun?: boolean
}

/** Opens the store and the other resources of a command. */
export async function openSession(io: CliIo, options: Options, needs: SessionNeeds): Promise<Session> {
  const { creates, startsRun = creates } = needs
  const places = placesOf(io, options)
  const module = options.agents === undefined ? undefined : await loadAgents(io, options.agents)
  if (creates && module === undefined) await chooseModel(options.model, io)
  await requireShell(options.shell)
  if (module?.store !== undefined && options.store !== undefined) throw ownStore()
  if (module?.store === undefined) await (creates ? makeFolder(places) : requireFile(places))
  const store = module?.store ?? (await openStore(places))
  const agents = (await module?.agentsOn(store)) ?? []
  const ownAgentOf = async (runId: string) => {
    const { agent: name, agentVersion } = await store.record(runId)
    const named = agents.filter((agent) => name === agent.name || name.startsWith(`${agent.name}/`))
    return named.find(({ version }) => version === agentVersion) ?? named[0]
  }
  const person = personAt(io)
  const agentOn = (model: Model, root: string, shell: string | undefined, inspect?: Inspect) => {
    // An agent that only stores answers runs nothing, and the folder of the run may no longer exist.
    const rules = model === noModel ? undefined : readPermissions(root, { isTrusted: options.trust })
    const { permissions, leftOut = 0 } = rules ?? {}
    if (leftOut > 0) io.stderr.write(`${leftOutText(leftOut)}\n`)
    return createAgent({
      name: agentName,
      model,
      instructions,
      tools: toolsOf(model === noModel ? places.root : root, shell, io),
      store,
      retry,
      onModelFailure: 'wait',
      clock: io.clock,
      ...(permissions === undefined ? {} : { permissions }),
      ...(inspect === undefined ? {} : { inspect }),
    })
  }
  const knownHome = async (runId: string) => {
    const home = await homeOf(store, await store.record(runId))
    return home && { ...home, root: await rootOf(runId, home, io.cwd, options.root) }
  }
  const ownHome = async (runId: string) => {
    const home = await knownHome(runId)
    if (home === undefined) throw foreignRun(await store.record(runId))
    return home
  }
  const readyHome = async (runId: string) => {
    const home = await ownHome(runId)
    const { root } = home
    const shell = options.shell ?? home.shell
    await requireRoot(runId, root)
    await requireShell(shell)
    return { root, shell, model: await chooseModel(options.model ?? home.model, io) }
  }
  const ourAgent = (model: Model, root: string, shell: string | undefined, inspect?: Inspect): NewRunAgent => {
    const userId = options.trust ? userName() : undefined
    const details = { labels: labelsOf(root, model, shell), ...(userId === undefined ? {} : { userId }) }
    return {
      agent: agentOn(model, root, shell, inspect),
      details,
      root,
      tools: toolsOf(root, shell, io).map(({ name }) => name),
    }
  }
  const newRunAgent = async (spec: string | undefined, shell = options.shell, inspect?: Inspect) => {
    if (agents.length > 0) return { agent: chosenAgent(agents, options.agent), details: {}, root: places.root }
    return ourAgent(await chooseModel(spec, io), places.root, shell, inspect)
  }
  let offered: Promise<string | undefined> | undefined
  const isAsked = options.shell === undefined && agents.length === 0 && options.model !== demoName
  const shellOfTalk = async () => (isAsked ? await (offered ??= offerShell(store, places.root, person)) : options.shell)
  const files = options.files.map((path) => ({ path: resolve(io.cwd, path) }))
  // The agent knows every tool so that it can check stored answers, and it runs none of them.
  const storingAgent = () => agentOn(noModel, places.root, 'unconfined')
  return {
    io,
    options: optionsForLater(options, places, startsRun),
    paint: createPaint(io),
    person,
    store,
    agents,
    isInteractive: io.isTTY && !options.json,
    async start(prompt) {
      const { agent, details } = await newRunAgent(options.model)
      return { agent, run: agent.start(await withFiles(prompt, files), details) }
    },
    async agentForTalk(lastRun, { model = options.model, inspect } = {}) {
      if (lastRun === undefined) return await newRunAgent(model, await shellOfTalk(), inspect)
      const own = await ownAgentOf(lastRun)
      if (own !== undefined) return { agent: own, details: {}, root: places.root }
      const { root, shell, model: known } = await readyHome(lastRun)
      return ourAgent(model === undefined ? known : await chooseModel(model, io), root, shell, inspect)
    },
    async agentForEditor(editor) {
      const made = (await module?.agentsOn(store, editor)) ?? []
      const chosen = chosenAgent(made, options.agent)
      // Agents that a module exports as they are stay open for other sessions.
      return agents.includes(chosen) ? chosen : closingAll(chosen, made)
    },
    async goOn(originalId, prompt) {
      const said = await withFiles(prompt, files)
      const own = await ownAgentOf(originalId)
      if (own !== undefined) return { agent: own, run: await (await own.load(originalId)).prompt(said) }
      const { root, model, shell } = await readyHome(originalId)
      const agent = agentOn(model, root, shell)
      const original = await agent.load(originalId)
      const labels = { ...(await original.labels()), ...labelsOf(root, model, shell) }
      return { agent, run: await original.prompt(said, { labels }) }
    },
    homeOf: knownHome,
    async agentOf(runId) {
      const own = await ownAgentOf(runId)
      if (own !== undefined) return own
      const { root, model, shell } = await readyHome(runId)
      return agentOn(model, root, shell)
    },
    agentWithoutModelOf: async (runId) => {
      const own = await ownAgentOf(runId)
      if (own !== undefined) return own
      const { root, shell } = await ownHome(runId)
      return agentOn(noModel, root, shell)
    },
    storingAgent,
    async previewsOf(runId) {
      const home = await knownHome(runId)
      // Another model than the one of a storing agent, so that the rules of the folder are read.
      const agent = (await ownAgentOf(runId)) ?? (home && agentOn({ ...noModel }, home.root, home.shell))
      if (agent === undefined) return []
      const { previewAnswers } = await import('../../../testing/index.ts')
      return previewAnswers(agent, store, runId)
    },
    standingOf: async (runId) => (await storingAgent().load(runId)).result(),
    print: (...lines) => {
      for (const line of lines) io.stdout.write(`${line}\n`)
    },
    emit: (value) => (io.results ?? io.stdout).write(`${safeJson(value)}\n`),
    async close() {
      person.leave()
      // A module closes the resources that it has opened.
      if (module?.store !== undefined) return
      await Promise.all(agents.map((agent) => agent.close()))
      await store.close()
    },
  }
}

function ownStore(): Error {
  const wish =
    'Leave out --store, or export a function that makes them on a store: export default (store) => [createAgent({ store, … })]'
  return misuse('two_stores', 'The agents of --agents have a store of their own, and --store cannot replace it.', wish)
}

function chosenAgent(agents: readonly Agent[], name: string | undefined): Agent {
  const found = name === undefined ? agents.slice(0, 2) : agents.filter((agent) => agent.name === name)
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  const known = `Known: ${agents.map((agent) => oneLine(agent.name)).join(', ')}.`
  if (name === undefined)
    throw misuse('which_agent', 'The module exports several agents. Name one: --agent <name>', known)
  throw misuse('which_agent', `The module exports no agent ${JSON.stringify(oneLine(name))}.`, known)
}

function closingAll(agent: Agent, made: readonly Agent[]): Agent {
  const close: Agent['close'] = async (given) => void (await Promise.all(made.map((one) => one.close(given))))
  return Object.assign(Object.create(agent) as Agent, { close })
}

/** Returns the labels of a new run, which later drivers read. */
function labelsOf(root: string, { provider, id }: Model, shell: string | undefined): RunLabels {
  const home = { root, model: `${provider}/${id}` }
  return shell === undefined ? home : { ...home, shell }
}

/** Returns the options for printed commands: an absolute path of a given store, and nothing stored with the run. */
function optionsForLater(options: Options, { file, database }: Places, startsRun: boolean): Options {
  const isGiven = options.store !== undefined || options.root !== undefined
  const place = database === undefined ? file : printedAddress(database)
  return {
    ...options,
    root: undefined,
    shell: undefined,
    store: isGiven ? place : undefined,
    model: startsRun ? undefined : options.model,
  }
}

const instructions = [
  'You help a person with the files of one folder, by the tools you are given.',
  'Paths are relative to that folder. Look before you write, and write only what was asked for.',
  'Writing and running commands need the approval of the person; where it is denied, do not try again without being asked.',
].join('\n')

/** About three minutes of retries: 1, 2, 4, 8, 16 and then 30 seconds between attempts. Then the run waits. */
const retry = { maxRetries: 10 }

function leftOutText(count: number): string {
  const rules = count === 1 ? 'One rule' : `${count} rules`
  return `${rules} of .statewright/permissions.json would let calls run without asking, and ${count === 1 ? 'is' : 'are'} ignored. Add --trust to apply them.`
}

async function openStore({ file, database }: Places): Promise<Store> {
  if (database === undefined) return sqliteStore(file)
  const { postgresStore } = await import('../../../adapters/stores/postgres/postgres-store.ts')
  return postgresStore({ connectionString: database })
}
