import { userInfo } from 'node:os'
import type {
  AgentApp,
  AgentContext,
  ClientCapabilities,
  McpServer,
  PromptResponse,
  SessionInfo,
} from '@agentclientprotocol/sdk'
import { defined } from '../../core/domain/text/json.ts'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { type Agent, type Run, UsageError } from '../../index.ts'
import type { RunLabels, StoredSession, StoredStanding } from '../../ports.ts'
import { storedSoFar } from '../chat/seen-events.ts'
import type { Seen } from './attended-run.ts'
import type { Acp } from './load-acp.ts'
import type { AgentMaker } from './editor.ts'
import { OpenSession } from './open-session.ts'
import { promptOf } from './read-prompt.ts'
import { messageUpdates } from './updates.ts'

/** The agent's side of a connection, with the function that ends everything that the connection began. */
export interface EditorApp {
  readonly app: AgentApp
  leave(): Promise<void>
}

/** The labels of a session with the name of its agent, and with the user that has begun it. */
const [agentLabel, userLabel] = ['acp', 'acpUser']

/** Returns the handlers of a connection. All state other than the open sessions is in the agents' store. */
export function editorApp(base: Agent, make: AgentMaker, programs: readonly string[], sdk: Acp): EditorApp {
  const { RequestError } = sdk
  const sessions = new Map<string, OpenSession>()
  // An answer for all runs counts for the user of this process.
  const whoever = userHere()
  const labels = { [agentLabel]: base.name, ...defined({ [userLabel]: whoever.userId }) }
  let capabilities: ClientCapabilities = {}

  /** Returns true for a session of this agent that this user has begun over this protocol. */
  const isOwn = ({ metadata }: Pick<StoredSession, 'metadata'>): boolean =>
    metadata[agentLabel] === base.name && metadata[userLabel] === whoever.userId
  const known = async (id: string): Promise<StoredSession> => {
    const find = async () => base.session(id).state()
    const state = await find().catch((error: unknown) => {
      if (!(error instanceof UsageError)) throw error
    })
    if (state !== undefined && isOwn(state)) return state
    throw RequestError.sessionNotFound(id.slice(0, 100))
  }
  /**
   * Opens a session, and tells the person after the current response which parts of the editor's offer are left out.
   */
  const open = async (
    sessionId: string,
    { cwd, mcpServers: servers = [] }: Opened,
    client: AgentContext,
    own: { readonly labels?: RunLabels; readonly stored?: StoredSession['metadata'] },
  ): Promise<OpenSession> => {
    const parts = { make, base, sessionId, cwd, servers, client, capabilities, programs, ...own }
    const isNew = !sessions.has(sessionId)
    const on = sessions.get(sessionId) ?? new OpenSession(parts)
    sessions.set(sessionId, on)
    const leftOut = await on
      .inTurn(() => on.renew())
      .catch((error: unknown) => {
        if (isNew) sessions.delete(sessionId)
        throw RequestError.internalError(undefined, thrownText(error))
      })
    setImmediate(() => {
      for (const text of leftOut) void on.say(`${text}\n\n`).catch(() => undefined)
    })
    return on
  }
  /** Opens a stored session, and asks its open questions again once the current response is sent. */
  const reopen = async (given: Opened & { readonly sessionId: string }, client: AgentContext, isTold: boolean) => {
    checkedFolder(given.cwd, sdk)
    const { id, metadata: stored } = await known(given.sessionId)
    const on = await open(id, given, client, { stored })
    const messages = await on.session.messages({ limit: isTold ? Number.MAX_SAFE_INTEGER : 1 })
    for (const message of isTold ? messages : []) {
      for (const update of messageUpdates(message, on.cwd)) await on.tell(update)
    }
    const runId = (await on.session.state())?.active?.runId
    if (runId !== undefined) {
      const seen = { ...(await lastEvent(await on.agent.load(runId))), shown: messages.at(-1)?.place ?? 0 }
      const begin = async () => void on.follow(await on.agent.load(runId), seen).catch(() => undefined)
      setImmediate(() => void on.inTurn(begin).catch(() => undefined))
    }
    return on.choices
  }
  const active = (id: string): OpenSession => {
    const found = sessions.get(id)
    if (found === undefined) throw RequestError.sessionNotFound(id.slice(0, 100))
    return found
  }
  const choose = async (on: OpenSession, choiceId: string | undefined, value: unknown) => {
    const problem = await on.inTurn(() => on.choose(choiceId ?? '', value))
    if (problem !== undefined) throw RequestError.invalidParams(undefined, problem)
    return on.choices
  }

  const app = sdk
    .agent({ name: base.name })
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return {
        protocolVersion: sdk.PROTOCOL_VERSION,
        agentInfo: { name: base.name, version: '1' },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          mcpCapabilities: { http: true, sse: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
      }
    })
    .onRequest('session/new', async ({ params, client }) => {
      const own = { ...labels, cwd: checkedFolder(params.cwd, sdk) }
      const on = await open(base.session(undefined).id, params, client, { labels: own })
      return { sessionId: on.session.id, ...on.choices }
    })
    .onRequest('session/load', ({ params, client }) => reopen(params, client, true))
    .onRequest('session/resume', ({ params, client }) => reopen(params, client, false))
    .onRequest('session/set_mode', async ({ params: { sessionId, modeId } }) => {
      const on = active(sessionId)
      const { configOptions = [] } = await choose(on, on.modeId, modeId)
      await on.tell({ sessionUpdate: 'config_option_update', configOptions })
      return {}
    })
    .onRequest('session/set_config_option', async ({ params: { sessionId, configId, value } }) => {
      const on = active(sessionId)
      const { configOptions = [], modes } = await choose(on, configId, value)
      if (modes !== undefined && configId === on.modeId) {
        await on.tell({ sessionUpdate: 'current_mode_update', currentModeId: modes.currentModeId })
      }
      return { configOptions }
    })
    .onRequest('session/list', async ({ params: { cwd, cursor } }) => {
      const before = typeof cursor === 'string' ? { before: cursor } : {}
      const page = await base.sessions({ limit: pageSize, ...before }).catch(asInvalid(sdk))
      const last = page.length === pageSize ? page.at(-1)?.cursor : undefined
      const infos = page.flatMap((one): readonly SessionInfo[] => {
        if ('damaged' in one || !isOwn(one)) return []
        const { cwd: stored } = one.metadata
        const folder = typeof stored === 'string' ? stored : '/'
        if (typeof cwd === 'string' && cwd !== folder) return []
        const updatedAt = new Date(one.lastActivity ?? one.createdAt).toISOString()
        return [{ sessionId: one.id, cwd: folder, updatedAt }]
      })
      return { sessions: [...infos], ...(last === undefined ? {} : { nextCursor: last }) }
    })
    .onRequest('session/close', async ({ params: { sessionId } }) => {
      const on = active(sessionId)
      await on.cancel('The editor closed the session.')
      await on.idle()
      sessions.delete(sessionId)
      await on.leave()
      return {}
    })
    .onRequest('session/delete', async ({ params: { sessionId } }) => {
      const session = base.session((await known(sessionId)).id)
      const on = sessions.get(sessionId)
      on?.closed.abort()
      sessions.delete(sessionId)
      await (on ?? session).cancel('The editor deleted the session.')
      await on?.leave()
      await session.delete({ cancel: true })
      return {}
    })
    .onNotification('session/cancel', async ({ params: { sessionId } }) => {
      await sessions.get(sessionId)?.cancel('The editor cancelled the prompt.')
    })
    .onRequest('session/prompt', async ({ params }) => {
      const on = active(params.sessionId)
      const said = promptOf(params.prompt, sdk)
      const isCancelled = on.untilCancelled()
      try {
        const begun = await on.inTurn(async () => {
          await on.renew()
          if (isCancelled()) return undefined
          const running = (await on.session.state())?.active?.runId
          if (running === undefined) {
            const run = await on.begin(said, whoever)
            if (isCancelled()) await run.cancel('The editor cancelled the prompt.')
            return { ended: on.follow(run, { after: 0, shown: 0 }) }
          }
          // The run waits or works: it reads the message in its next turn, and is asked about again.
          const run = await on.agent.load(running)
          const from = { ...(await lastEvent(run)), shown: 0 }
          await on.session.steer(said)
          return { ended: on.follow(run, from) }
        })
        return promptResponse(await begun?.ended, sdk)
      } catch (error) {
        throw error instanceof RequestError ? error : RequestError.internalError(undefined, thrownText(error))
      }
    })
  return {
    app,
    leave: async () => void (await Promise.all([...sessions.values()].map((on) => on.leave()))),
  }
}

/** An editor's description of a session that it opens. */
interface Opened {
  readonly cwd: string
  readonly mcpServers?: readonly McpServer[]
}

const pageSize = 100

async function lastEvent(run: Run): Promise<Omit<Seen, 'shown'>> {
  const events = await storedSoFar(run)
  const begun = events.find(({ type }) => type === 'run.started')
  const size = begun?.type === 'run.started' ? begun.configuration?.contextWindow : undefined
  return { after: events.at(-1)?.seq ?? 0, ...defined({ size }) }
}

function checkedFolder(cwd: string, { RequestError }: Acp): string {
  const isGood = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(cwd) && cwd.length <= 1000
  if (isGood) return cwd
  throw RequestError.invalidParams(undefined, 'cwd must be an absolute path of at most 1,000 characters.')
}

/** Returns the system's name of the user, if it is known. */
function userHere(): { readonly userId?: string } {
  try {
    return { userId: userInfo().username }
  } catch {
    return {}
  }
}

function asInvalid({ RequestError }: Acp) {
  return (error: unknown): never => {
    throw error instanceof UsageError ? RequestError.invalidParams(undefined, error.message) : error
  }
}

/** Returns the end of a run as the answer to a prompt; throws an internal error for a run that failed. */
function promptResponse(standing: StoredStanding | undefined, { RequestError }: Acp): PromptResponse {
  const { reason, code, error } = standing?.outcome ?? {}
  if (standing === undefined || reason === 'cancelled') return { stopReason: 'cancelled' }
  if (reason === 'error') throw RequestError.internalError(undefined, error?.message ?? 'The run ended with an error.')
  return { stopReason: reason === 'stopped' && code === 'max_turns' ? 'max_turn_requests' : 'end_turn' }
}
