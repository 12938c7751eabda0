import { type Agent, createAgent, type RunStatus } from '../index.ts'
import { createHandlers, type Handlers } from '../protocols/server.ts'
import { ChartDrawer } from './chart-drawer.ts'
import { decodedPart } from './decoded-part.ts'
import { listRuns } from './list-runs.ts'
import type { CheckedOptions } from './options.ts'
import { readerModel } from './reader-model.ts'
import { errorOf, failure, json } from './respond.ts'
import { stateAt, summaryOf, wayOf } from './show-run.ts'

/** What stands under `/api`: lists and views of the studio's own, and the handlers of the agent whose run is asked for. */
export class StudioRoutes {
  readonly #options: CheckedOptions
  readonly #charts: ChartDrawer
  /** Reads and stores, and drives nothing. */
  readonly #reader: Agent
  readonly #readerHandlers: Handlers
  readonly #handlers: ReadonlyMap<string, Handlers>
  /** What the handlers say nothing of to a client, who may be anybody; here it is the person whose store it is. */
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

  async answer(request: Request, url: URL): Promise<Response> {
    const [first = '', second, third, fourth, ...more] = partsOf(url)
    if (first === 'studio') return json(this.#about())
    if (first === 'charts' && more.length === 0 && third === undefined) return await this.#chart(second, url)
    if (first === 'runs' && second === undefined) return json(await this.#list(url))
    if (first === 'sessions' && second === undefined) {
      return json({ sessions: await this.#options.store.sessions({ ...pageIn(url), limit: 200 }) })
    }
    if (first !== 'runs' || second === undefined) return failure(404, 'no_route', 'There is nothing at this path.')
    return await this.#ofRun(request, url, second, [third, fourth])
  }

  /** Begins to lay out the charts that every run is shown with. */
  prepare(): void {
    for (const name of ['run', 'tool-call']) void this.#charts.draw(name)
  }

  async close(): Promise<void> {
    await this.#charts.close()
    await this.#reader.close()
  }

  async #ofRun(request: Request, url: URL, runId: string, [what, which]: readonly (string | undefined)[]) {
    const { store } = this.#options
    if (request.method === 'GET') {
      if (what === 'summary') return json(await summaryOf(this.#reader, store, runId, numberIn(url, 'known')))
      if (what === 'way') return json(await wayOf(this.#reader, runId, versionsIn(url)))
      if (what === 'at') return json(await stateAt(this.#reader, runId, Number(which)))
    }
    const { agent } = await store.record(runId)
    if (request.method === 'GET' && what === 'tools') return await this.#tool(agent, which ?? '')
    const handlers = this.#handlers.get(agent)
    // A new run would have the options of the agent, which is not here.
    if (handlers === undefined && what === 'prompt') {
      return failure(409, 'not_driven', 'This studio drives no runs of this agent. Begin the run where its agent is.')
    }
    const response = await (handlers ?? this.#readerHandlers).fetch(request)
    return this.#thrown.has(request) ? errorOf(this.#thrown.get(request)) : response
  }

  async #tool(agentName: string, name: string): Promise<Response> {
    const found = await this.#options.agents.find((agent) => agent.name === agentName)?.tool(name)
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

  async #chart(name: string | undefined, url: URL): Promise<Response> {
    const drawn = await this.#charts.draw(name ?? 'run', url.searchParams.get('inside') ?? undefined)
    return drawn === undefined ? failure(404, 'no_chart', 'There is no such chart.') : json(drawn)
  }
}

function partsOf({ pathname }: URL): readonly string[] {
  return pathname
    .split('/')
    .slice(2)
    .filter((part) => part !== '')
    .map(decodedPart)
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
