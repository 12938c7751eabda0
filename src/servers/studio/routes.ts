import { jsonIn } from '../../core/domain/text/parse-json.ts'
import { type Agent, createAgent, type Model, ModelError, type Store } from '../../index.ts'
import { unchecked } from '../../core/domain/text/option-shape.ts'
import { type Prompt, revokeGrant } from '../../ports.ts'
import { readBody } from '../http/read-body.ts'
import type { RunsCoverage } from '../../testing/index.ts'
import { createHandlers, type Handlers } from '../http/server.ts'
import { ChartDrawer } from './chart-drawer.ts'
import { aboutStore, type KnownCosts } from './about-store.ts'
import { listQuestions } from './list-questions.ts'
import { listRuns, searchIn } from './list-runs.ts'
import { decodedPart } from './decoded-part.ts'
import { findOwnRoute } from './own-routes.ts'
import type { CheckedOptions } from './options.ts'
import { familyOf, rootOf } from './family.ts'
import { errorOf, failure, json } from './respond.ts'
import { stateAt, summaryOf, wayOf } from './show-run.ts'

/** The maximum bytes of a request, which may hold files. */
const mostBodyBytes = 48_000_000

/** The maximum runs whose walks are counted, and the milliseconds for which the count is kept. */
const mostCovered = 200
const coveredMs = 60_000

const promptShape = unchecked<{ readonly prompt: Prompt }>('prompt')

/** The routes under `/api`: the studio's own lists and views, and the handlers of the run's agent. */
export class StudioRoutes {
  readonly #options: CheckedOptions
  readonly #charts: ChartDrawer
  /** Reads and stores, and drives nothing. */
  readonly #reader: Agent
  readonly #readerHandlers: Handlers
  readonly #handlers: ReadonlyMap<string, Handlers>
  #covered: { readonly until: number; readonly found: Promise<RunsCoverage> } | undefined
  readonly #costs: KnownCosts = new Map()
  /** The last error, which the handlers hide from clients; here the client is the owner of the store. */
  readonly #thrown = new WeakMap<Request, unknown>()

  constructor(options: CheckedOptions) {
    this.#options = options
    this.#charts = new ChartDrawer(options.charts)
    this.#reader = createAgent({ name: 'studio', model: readerModel, store: options.store })
    const onError = (error: unknown, request: Request) => void this.#thrown.set(request, error)
    const shared = { basePath: '/api', authorize: () => ({ by: options.by }), onError, maxBodyBytes: mostBodyBytes }
    this.#readerHandlers = createHandlers(this.#reader, { ...shared, drive: false })
    this.#handlers = new Map(options.agents.map((agent) => [agent.name, createHandlers(agent, shared)]))
  }

  /** Answers a request under `/api` that the guard has let through. */
  async answer(request: Request, url: URL): Promise<Response> {
    const { route, parts } = findOwnRoute(request.method, url.pathname)
    const [runId = '', which = ''] = parts
    const { store } = this.#options
    switch (route) {
      case 'GET /api/studio':
        return json(this.#about())
      case 'GET /api/charts':
        return this.#chart('run', url)
      case 'GET /api/charts/:chart':
        return this.#chart(parts[0] ?? '', url)
      case 'GET /api/coverage/:chart':
        return await this.#cover(parts[0] ?? '', url)
      case 'GET /api/runs':
        return json(await this.#list(url))
      case 'GET /api/runs/:run/summary':
        return json(await summaryOf(this.#reader, store, runId, numberIn(url, 'known')))
      case 'GET /api/runs/:run/family':
        return json((await familyOf(store, runId)) ?? null)
      case 'GET /api/runs/:run/answers':
        return await this.#answers(runId, url)
      case 'GET /api/runs/:run/way':
        return json(await wayOf(this.#reader, this.#charts.run, runId, versionsIn(url)))
      case 'GET /api/runs/:run/at/:version':
        return json(await stateAt(this.#reader, runId, Number(which)))
      case 'GET /api/runs/:run/tools/:tool':
        return await this.#tool(runId, which)
      case 'POST /api/runs':
        return await this.#start(request, url)
      case 'GET /api/suspended':
        return json(await listQuestions(store))
      case 'GET /api/store':
        return json(await aboutStore(this.#reader, store, this.#costs))
      case 'POST /api/grants/:grant/revoke':
        return (await revokeGrant(store, runId, { by: this.#options.by, at: Date.now() })) === undefined
          ? failure(
              409,
              'no_grant',
              'The answer no longer applied: it was revoked or has expired. Nothing was changed.',
            )
          : json({ isRevoked: true })
      case 'POST /api/postponed/:run/retry':
        return (await store.retry(runId))
          ? json({ isRetried: true })
          : failure(409, 'not_postponed', 'Workers no longer leave this run alone. Nothing was changed.')
      case 'kit':
        return await this.#ofRun(request, runId, which)
      case undefined:
        return failure(404, 'no_route', 'There is nothing at this path.')
    }
  }

  async close(): Promise<void> {
    await this.#reader.close()
  }

  /** Starts a run with an agent, or in a session of it: a new one without an id. */
  async #start(request: Request, url: URL): Promise<Response> {
    const name = url.searchParams.get('agent') ?? ''
    const agent = this.#options.agents.find((one) => one.name === name)
    const handlers = this.#handlers.get(name)
    if (agent === undefined || handlers === undefined) {
      return failure(404, 'no_agent', `This studio has no agent "${name.slice(0, 100)}". Load it with --agents.`)
    }
    const session = url.searchParams.get('session')
    if (session === null) {
      const response = await handlers.fetch(request)
      return this.#thrown.has(request) ? errorOf(this.#thrown.get(request)) : response
    }
    const { prompt } = await readBody(request, 'a prompt', promptShape, mostBodyBytes)
    const run = await agent.session(session === '' ? undefined : session).prompt(prompt)
    return json({ runId: run.id, status: 'running' }, 201)
  }

  /** Passes a request on to the handlers of the run's agent, or to those that do not drive. */
  async #ofRun(request: Request, runId: string, what: string): Promise<Response> {
    const { store } = this.#options
    const agent = this.#agentOf((await store.record(runId)).agent)
    const handlers = agent && this.#handlers.get(agent.name)
    // A new run would have the options of the agent, which is not here.
    if (handlers === undefined && what === 'prompt') {
      return failure(409, 'not_driven', 'This studio does not drive this agent. Begin the run in a process that does.')
    }
    const response = await (handlers ?? this.#readerHandlers).fetch(request)
    if (this.#thrown.has(request)) return errorOf(this.#thrown.get(request))
    if (agent === undefined || !response.ok || request.method !== 'POST') return response
    try {
      await driveFamily(agent, store, runId)
      return response
    } catch {
      // The request is stored, so it is no failure if no process here continues the family.
      return json({ ...((await response.json()) as object), drive: 'elsewhere' }, response.status)
    }
  }

  /** Returns the agent that drives the runs stored under a name. A member's name begins with that of its root's agent. */
  #agentOf(name: string): Agent | undefined {
    const { agents } = this.#options
    const root = decodedPart(name.split('/', 1)[0] ?? '')
    return agents.find((agent) => agent.name === name) ?? agents.find((agent) => agent.name === root)
  }

  /**
   * Returns the effect of each answer; `call` and `input` give the arguments of an edit. Empty if the agent is not
   * here.
   */
  async #answers(runId: string, { searchParams }: URL): Promise<Response> {
    const { store } = this.#options
    const agent = this.#agentOf((await store.record(runId)).agent)
    const [callId, text] = [searchParams.get('call'), searchParams.get('input')]
    const input = text === null ? undefined : jsonIn(text)
    if (text !== null && input === undefined)
      return failure(400, 'bad_input', 'Parameter input is not JSON. Expected the arguments of an edit as JSON.')
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
    const { names } = this.#charts
    return { agents: [...this.#handlers.keys()], charts: names, hasTested: this.#options.tested !== undefined }
  }

  async #list(url: URL) {
    return await listRuns(this.#options.store, searchIn(url.searchParams))
  }

  #chart(name: string, url: URL): Response {
    return ofChart(this.#charts.draw(name, insideOf(url)))
  }

  /** Runs are stepped again, which takes a while: those that came in the last minute are not among them. */
  async #cover(name: string, url: URL): Promise<Response> {
    const { tested, store } = this.#options
    if (tested === undefined)
      return failure(404, 'not_tested', 'This studio has no agent options for tests. Start it with --options <file>.')
    const { coverage } = await import('../../testing/index.ts')
    const isOld = this.#covered === undefined || Date.now() > this.#covered.until
    if (isOld) this.#covered = { until: Date.now() + coveredMs, found: coverage(tested, store, { limit: mostCovered }) }
    const found = await this.#covered?.found
    return ofChart(found && this.#charts.cover(name, insideOf(url), found))
  }
}

/** Drives the runs above a member, which wait for it, so that they continue with its stored answer. */
async function driveFamily(agent: Agent, store: Store, runId: string): Promise<void> {
  const root = await rootOf(store, runId)
  if (root !== runId) await agent.resume(root)
}

function ofChart(value: object | undefined): Response {
  return value === undefined ? failure(404, 'no_chart', 'There is no such chart.') : json(value)
}

function insideOf({ searchParams }: URL): string | undefined {
  return searchParams.get('inside') ?? undefined
}

function versionsIn({ searchParams }: URL): readonly number[] {
  return (searchParams.get('versions') ?? '').split(',').map(Number).filter(Number.isInteger)
}

function numberIn({ searchParams }: URL, name: string): number | undefined {
  const text = searchParams.get(name)
  return text === null ? undefined : Number(text)
}

/** A substitute if no model is called: the studio only reads and stores. */
const readerModel: Model = {
  provider: 'none',
  id: 'none',
  stream: () => {
    throw new ModelError('api', 'The studio asks no model. Give it the agent of the run, or start a worker.')
  },
}
