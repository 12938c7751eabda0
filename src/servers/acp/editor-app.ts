import type { AgentApp, AgentContext, ClientCapabilities, PromptResponse, SessionInfo } from '@agentclientprotocol/sdk'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import { type Agent, type Run, type Session, UsageError } from '../../index.ts'
import type { StoredStanding } from '../../ports.ts'
import { attend, type AttendedRun } from './attended-run.ts'
import type { Acp } from './load-acp.ts'
import { promptOf } from './read-prompt.ts'
import { messageUpdates } from './updates.ts'

/** The agent's side of a connection, and the end of everything that the connection began. */
export interface EditorApp {
  readonly app: AgentApp
  leave(): Promise<void>
}

const label = 'acp'

interface OpenSession {
  readonly session: Session
  readonly cwd: string
  readonly closed: AbortController
  attending?: AttendedRun | undefined
}

/** Returns the handlers of a connection: all state beside the open sessions is in the agent's store. */
export function editorApp(agent: Agent, sdk: Acp): EditorApp {
  const { RequestError } = sdk
  const labels = { [label]: agent.name }
  const sessions = new Map<string, OpenSession>()
  let capabilities: ClientCapabilities = {}

  const known = async (id: string): Promise<Session> => {
    const session = sessionOf(id)
    const state = await session.state().catch(asUnknown(id))
    if (state?.metadata[label] !== agent.name) throw RequestError.sessionNotFound(id.slice(0, 100))
    return session
  }
  const sessionOf = (id: string): Session => {
    try {
      return agent.session(id)
    } catch (error) {
      return asUnknown(id)(error)
    }
  }
  const asUnknown =
    (id: string) =>
    (error: unknown): never => {
      throw error instanceof UsageError ? RequestError.sessionNotFound(id.slice(0, 100)) : error
    }
  const open = (session: Session, cwd: string): OpenSession => {
    const opened = sessions.get(session.id) ?? { session, cwd, closed: new AbortController() }
    sessions.set(session.id, opened)
    return opened
  }
  const opened = async (id: string, cwd: string): Promise<OpenSession> => open(await known(id), cwd)
  const active = (id: string): OpenSession => {
    const found = sessions.get(id)
    if (found === undefined) throw RequestError.sessionNotFound(id.slice(0, 100))
    return found
  }

  const follow = (client: AgentContext, on: OpenSession, run: Run, from: Seen): Promise<StoredStanding | undefined> => {
    if (on.attending?.runId === run.id) {
      on.attending.askAgain()
      return on.attending.ended
    }
    const elicits = typeof capabilities.elicitation?.form === 'object' && capabilities.elicitation.form !== null
    const { session, cwd, closed } = on
    const about = { agent, client, sessionId: session.id, cwd, elicits, signal: closed.signal, ...from }
    const attending = attend(run, about)
    on.attending = attending
    return attending.ended.finally(() => {
      if (on.attending === attending) on.attending = undefined
    })
  }
  /** Asks again what the session's run waits for, once the answer to the present request is sent. */
  const takeUp = async (client: AgentContext, on: OpenSession, shown: number): Promise<void> => {
    const runId = (await on.session.state())?.active?.runId
    if (runId === undefined) return
    const run = await agent.load(runId)
    const from = { after: await lastEvent(run), shown }
    setImmediate(() => void follow(client, on, run, from).catch(() => undefined))
  }

  const app = sdk
    .agent({ name: agent.name })
    .onRequest('initialize', ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return {
        protocolVersion: sdk.PROTOCOL_VERSION,
        agentInfo: { name: agent.name, version: '1' },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { image: true, embeddedContext: true },
          sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
        },
      }
    })
    .onRequest('session/new', ({ params: { cwd } }) => {
      const session = agent.session(undefined, { labels: { ...labels, cwd: checkedFolder(cwd, sdk) } })
      return { sessionId: open(session, cwd).session.id }
    })
    .onRequest('session/load', async ({ params: { sessionId, cwd }, client }) => {
      const on = await opened(sessionId, checkedFolder(cwd, sdk))
      let shown = 0
      for (const message of await allMessages(on.session)) {
        shown = message.place
        for (const update of messageUpdates(message)) await client.notify('session/update', { sessionId, update })
      }
      await takeUp(client, on, shown)
      return {}
    })
    .onRequest('session/resume', async ({ params: { sessionId, cwd }, client }) => {
      const on = await opened(sessionId, checkedFolder(cwd, sdk))
      await takeUp(client, on, (await on.session.messages({ limit: 1 })).at(-1)?.place ?? 0)
      return {}
    })
    .onRequest('session/list', async ({ params: { cwd, cursor } }) => {
      const before = typeof cursor === 'string' ? { before: cursor } : {}
      const page = await agent.sessions({ limit: pageSize, ...before }).catch(asInvalid(sdk))
      const last = page.length === pageSize ? page.at(-1)?.cursor : undefined
      const infos = page.flatMap((one): readonly SessionInfo[] => {
        if ('damaged' in one || one.metadata[label] !== agent.name) return []
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
      await on.session.cancel('The editor closed the session.')
      await on.attending?.ended.catch(() => undefined)
      on.closed.abort()
      sessions.delete(sessionId)
      return {}
    })
    .onRequest('session/delete', async ({ params: { sessionId } }) => {
      const session = await known(sessionId)
      const on = sessions.get(sessionId)
      on?.closed.abort()
      sessions.delete(sessionId)
      await session.cancel('The editor deleted the session.')
      await on?.attending?.ended.catch(() => undefined)
      await session.delete()
      return {}
    })
    .onNotification('session/cancel', async ({ params: { sessionId } }) => {
      await sessions.get(sessionId)?.session.cancel('The editor cancelled the prompt.')
    })
    .onRequest('session/prompt', async ({ params, client }) => {
      const on = active(params.sessionId)
      const said = promptOf(params.prompt, sdk)
      try {
        const running = (await on.session.state())?.active?.runId
        if (running === undefined) {
          const run = await on.session.prompt(said)
          return promptResponse(await follow(client, on, run, { after: 0, shown: 0 }), sdk)
        }
        // The run waits or works: it reads the message in its next turn, and is asked about again.
        const run = await agent.load(running)
        const from = { after: await lastEvent(run), shown: 0 }
        await on.session.steer(said)
        return promptResponse(await follow(client, on, run, from), sdk)
      } catch (error) {
        throw error instanceof RequestError ? error : RequestError.internalError(undefined, thrownText(error))
      }
    })
  return {
    app,
    async leave() {
      const all = [...sessions.values()]
      for (const { closed } of all) closed.abort()
      await Promise.all(all.map(async ({ attending }) => await attending?.ended.catch(() => undefined)))
    },
  }
}

/** The last event and the last message that the editor has of a run. */
interface Seen {
  readonly after: number
  readonly shown: number
}

const pageSize = 100

async function lastEvent(run: Run): Promise<number> {
  let last = 0
  for await (const { seq } of run.events({ wait: false, deltas: false })) last = seq
  return last
}

async function allMessages(session: Session) {
  let all = await session.messages({ limit: pageSize })
  for (let page = all; page.length === pageSize;) {
    page = await session.messages({ limit: pageSize, before: page[0]?.place ?? 0 })
    all = [...page, ...all]
  }
  return all
}

function checkedFolder(cwd: string, { RequestError }: Acp): string {
  const isGood = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(cwd) && cwd.length <= 1000
  if (isGood) return cwd
  throw RequestError.invalidParams(undefined, 'cwd must be an absolute path of at most 1,000 characters.')
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
