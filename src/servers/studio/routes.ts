import { type Agent, createAgent, type Json, type Model, ModelError, type Store } from '../../index.ts'
import { listSessions, type RunStatus } from '../../ports.ts'
import { createHandlers, type Handlers } from '../http/server.ts'
import { ChartDrawer } from './chart-drawer.ts'
import { listRuns } from './list-runs.ts'
import { decodedPart } from './decoded-part.ts'
import { findOwnRoute } from './own-routes.ts'
import type { CheckedOptions } from './options.ts'
import { familyOf, rootOf } from './family.ts'
import { errorOf, failure, json } from './respond.ts'
import { stateAt, summaryOf, wayOf } from './show-run.ts'

/** The routes under `/api`: the studio's own lists and views, and the handlers of the run's agent. */
export class StudioRoutes {
  readonly #options: CheckedOptions
  readonly #charts: ChartDrawer
  /** Reads and stores, and drives nothing. */
  readonly #reader: Agent
  readonly #readerHandlers: Handlers
  readonly #handlers: ReadonlyMap<string, Handlers>
  /** The last error, which the handlers hide from clients; here the client is the owner of the store. */
  readonly #thrown = new WeakMap<Request, unknown>()

  constructor(options: CheckedOptions) {
    this.#options = options
    this.#charts = new ChartDrawer(options.charts)
    this.#reader = createAgent({ name: 'studio', model: readerModel, store: options.store })
    const onError = (error: unknown, request: Request) => void this.#thrown.set(request, error)
    const shared = { basePath: '/api', authorize: () => ({ by: options.by }), onError }
    this.#readerHandlers = createHandlers(this.#reader, { ...shared, drive: false })
    this.#handlers = new Map(options.agents.map((agent) => [agent.name, createHandlers(agent, shared)]))
  }

  /** Answers a request under `/api` that the guard has let through. */
  async answer(request: Request, url: URL): Promise<Response> {
    const { route, parts } = findOwnRoute(request.method, url.pathname)
    const [runId = '', which = ''] = parts
    const { store } = this.#options
    switch (route) {
      case '/api/studio':
        return json(this.#about())
      case '/api/charts':
        return this.#chart('run', url)
      case '/api/charts/:chart':
        return this.#chart(parts[0] ?? '', url)
      case '/api/sessions':
        return json({ sessions: await listSessions(store, { ...pageIn(url), limit: 200 }) })
      case '/api/runs':
        return json(await this.#list(url))
      case '/api/runs/:run/summary':
        return json(await summaryOf(this.#reader, store, runId, numberIn(url, 'known')))
      case '/api/runs/:run/family':
        return json((await familyOf(store, runId)) ?? null)
      case '/api/runs/:run/answers':
        return await this.#answers(runId, url)
      case '/api/runs/:run/way':
        return json(await wayOf(this.#reader, this.#charts.run, runId, versionsIn(url)))
      case '/api/runs/:run/at/:version':
        return json(await stateAt(this.#reader, runId, Number(which)))
      case '/api/runs/:run/tools/:tool':
        return await this.#tool(runId, which)
      case 'kit':
        return await this.#ofRun(request, runId, which)
      case undefined:
        return failure(404, 'no_route', 'There is nothing at this path.')
    }
  }

  async close(): Promise<void> {
    await this.#reader.close()
  }

  /** Passes a request on to the handlers of the run's agent, or to those that do not drive. */
  async #ofRun(request: Request, runId: string, what: string): Promise<Response> {
    const { store } = this.#options
    const agent = this.#agentOf((await store.record(runId)).agent)
    const handlers = agent && this.#handlers.get(agent.name)
    // A new run would have the options of the agent, which is not here.
    if (handlers === undefined && what === 'prompt') {
      return failure(409, 'not_driven', 'This studio drives no runs of this agent. Begin the run where its agent is.')
    }
    const response = await (handlers ?? this.#readerHandlers).fetch(request)
    if (this.#thrown.has(request)) return errorOf(this.#thrown.get(request))
    if (agent !== undefined && response.ok && request.method === 'POST') await driveFamily(agent, store, runId)
    return response
  }

  /** Returns the agent that drives the runs stored under a name. A member's name begins with that of its root's agent. */
  #agentOf(name: string): Agent | undefined {
    const { agents } = this.#options
    const root = decodedPart(name.split('/', 1)[0] ?? '')
    return agents.find((agent) => agent.name === name) ?? agents.find((agent) => agent.name === root)
  }

  /** Says what each answer leads to; `call` and `input` give the arguments of an edit. Empty if the agent is not here. */
  async #answers(runId: string, { searchParams }: URL): Promise<Response> {
    const { store } = this.#options
    const agent = this.#agentOf((await store.record(runId)).agent)
    const [callId, text] = [searchParams.get('call'), searchParams.get('input')]
    const input = text === null ? undefined : parsed(text)
    if (text !== null && input === undefined)
      return failure(400, 'bad_input', 'Parameter input holds no JSON. Give it the arguments of an edit as JSON.')
    if (agent === undefined) return json({ calls: [] })
    const { previewAnswers } = await import('../../testing/index.ts')
    const edits = callId === null || input === undefined ? {} : { edits: { [callId]: input } }
    return json({ calls: await previewAnswers(agent, store, runId, edits) })
  }

  async #tool(runId: string, name: string): Promise<Response> {
    const { store, agents } = this.#options
    const { agent: agentName } = await store.record(runId)
    const found = await agents.find((agent) => agent.name === agentName)?.tool(name)
    return found === undefined ? failure(404, 'no_tool', 'The tool is not known here.') : json(found)
  }

  #about() {
    return { agents: [...this.#handlers.keys()], charts: this.#charts.names }
  }

  async #list(url: URL) {
    const given = url.searchParams
    const status = given.get('status') ?? undefined
    return await listRuns(this.#options.store, {
      ...pageIn(url),
      ...(isStatus(status) ? { status } : {}),
      ...(given.has('session') ? { session: given.get('session') ?? '' } : {}),
    })
  }

  #chart(name: string, url: URL): Response {
    const drawn = this.#charts.draw(name, url.searchParams.get('inside') ?? undefined)
    return drawn === undefined ? failure(404, 'no_chart', 'There is no such chart.') : json(drawn)
  }
}

/** The runs above a member wait for it, and go on with what was stored for it. */
async function driveFamily(agent: Agent, store: Store, runId: string): Promise<void> {
  const root = await rootOf(store, runId)
  if (root !== runId) await agent.resume(root)
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function pageIn({ searchParams }: URL): { readonly before?: string } {
  const before = searchParams.get('before')
  return before === null ? {} : { before }
}

function versionsIn({ searchParams }: URL): readonly number[] {
  return (searchParams.get('versions') ?? '').split(',').map(Number).filter(Number.isInteger)
}

function numberIn({ searchParams }: URL, name: string): number | undefined {
  const text = searchParams.get(name)
  return text === null ? undefined : Number(text)
}

function isStatus(text: string | undefined): text is RunStatus {
  return text === 'running' || text === 'waiting' || text === 'done'
}

/** Stands in if no model is asked: the studio reads and stores. */
const readerModel: Model = {
  provider: 'none',
  id: 'none',
  stream: () => {
    throw new ModelError('api', 'The studio asks no model. Give it the agent of the run, or start a worker.')
  },
}
