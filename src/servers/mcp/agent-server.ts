import { randomBytes } from 'node:crypto'
import type { McpServer, McpServerFactory, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { thrownText } from '../../core/domain/text/thrown-text.ts'
import type { Agent, Run } from '../../index.ts'
import { loadServer } from './load-server.ts'
import { decisionsOf, type PendingQuestions, questionsOf } from './pending-questions.ts'
import { ServeMcpError } from './serve-error.ts'
import type { ServeMcpOptions } from './serve-options.ts'
import { messageOf, type ServedResult, standingResult, standingText } from './standing-result.ts'
import { servedRuns, type ServedRuns } from './served-runs.ts'

type Sdk = Awaited<ReturnType<typeof loadServer>>

/** The state that a client returns with its answers. */
const stateSchema = z.object({ runId: z.string(), asked: z.record(z.string(), z.string()) })

type State = z.infer<typeof stateSchema>

/**
 * Returns a function that creates a server for each connection or request. The servers' runs are in the agent's store.
 */
export async function serverFactory(agent: Agent, options: ServeMcpOptions): Promise<McpServerFactory> {
  const sdk = await loadServer()
  const { toolName, stateKey = randomBytes(32).toString('hex') } = options
  if (stateKey.length < 32) {
    throw new ServeMcpError(
      'bad_option',
      `stateKey has ${stateKey.length} characters. Expected 32 or more that nobody can guess.`,
    )
  }
  const name = checkedName(toolName ?? agent.name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64))
  const codec = sdk.createRequestStateCodec<State>({ key: stateKey, ttlSeconds: weekSeconds })
  const runs = servedRuns(agent)
  return () => {
    const server = new sdk.McpServer(
      { name: agent.name, version: '1' },
      { requestState: { verify: codec.verify }, inputRequired: { legacyShim: false } },
    )
    const serving: Serving = { agent, sdk, runs, server, seal: (state) => codec.mint(state) }
    registerAgent(serving, name, options.description)
    registerDecisions(serving)
    registerRuns(serving)
    return server
  }
}

const decisionTools = ['approve', 'deny', 'respond']

function checkedName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name) && !decisionTools.includes(name)) return name
  const wish = 'Expected 1 to 64 of the characters A-Z, a-z, 0-9, "_" and "-", and none of approve, deny and respond.'
  throw new ServeMcpError(
    'bad_option',
    `The tool name ${JSON.stringify(name)} is refused. ${wish} Give another as toolName.`,
  )
}

/** A person may take a week to answer. */
const weekSeconds = 604_800

interface Serving {
  readonly agent: Agent
  readonly sdk: Sdk
  readonly runs: ServedRuns
  readonly server: McpServer
  seal(state: State): Promise<string>
}

function registerAgent(serving: Serving, name: string, description: string | undefined): void {
  const { agent, runs, server } = serving
  const about = description ?? `Gives a task to the agent "${agent.name}" and returns its answer.`
  const inputSchema = z.object({ prompt: z.string().min(1).describe('The task, in plain words') })
  server.registerTool(name, { description: about, inputSchema }, async ({ prompt }, context) =>
    told(async () => {
      const state = stateSchema.safeParse(context.mcpReq.requestState()).data
      if (state === undefined) return await driven(serving, runs.start(prompt), context)
      const run = await runs.load(state.runId)
      await run.decide(decisionsOf(state.asked, context.mcpReq.inputResponses ?? {}))
      return await driven(serving, run, context)
    }),
  )
}

const target = z.string().optional().describe('The call; may be left out where one is pending')
const runId = z.string().describe('The id of the run, from the result')

function registerDecisions(serving: Serving): void {
  const { server, runs } = serving
  const decide = (
    name: string,
    description: string,
    inputSchema: z.ZodObject<{ runId: z.ZodString }>,
    act: (run: Run, given: Record<string, unknown>) => Promise<{ answer: string; message?: string }>,
  ) =>
    server.registerTool(name, { description, inputSchema }, async (given, context) =>
      told(async () => {
        const run = await runs.load(given.runId)
        const { answer, message } = await act(run, given)
        if (answer !== 'applied' && answer !== 'kept' && answer !== 'duplicate') {
          return failed(`The decision was not accepted (${answer}). ${message ?? ''}`.trim())
        }
        return await driven(serving, run, context, false)
      }),
    )
  decide('approve', 'Approves a pending call of a run, which then continues.', approval, async (run, given) => {
    const { callId } = approval.parse(given)
    return await run.approve(callId, { by: 'mcp' })
  })
  decide('deny', 'Denies a pending call of a run, which then continues without it.', denial, async (run, given) => {
    const { callId, reason } = denial.parse(given)
    return await run.deny(callId, { ...(reason === undefined ? {} : { reason }), by: 'mcp' })
  })
  decide(
    'respond',
    'Gives a pending call of a run its result; its tool does not run.',
    response,
    async (run, given) => {
      const { callId, result } = response.parse(given)
      return await run.respond(callId, result, { by: 'mcp' })
    },
  )
}

// An unknown argument may mean no, such as `approved: 'no'`, so it is refused.
const approval = z.strictObject({ runId, callId: target })
const denial = z.strictObject({
  runId,
  callId: target,
  reason: z.string().optional().describe('The text for the agent'),
})
const response = z.strictObject({
  runId,
  callId: target,
  result: z.json().describe('The result, as the tool would give it'),
})

function registerRuns({ sdk, server, runs }: Serving): void {
  const template = new sdk.ResourceTemplate('run://{runId}', { list: undefined })
  const about = { description: 'The state of a run: status, text, pending calls.', mimeType: 'application/json' }
  server.registerResource('run', template, about, async (uri, variables) => {
    const run = await runs.load(String(variables['runId']))
    const text = JSON.stringify(standingText(await run.result()))
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
  })
}

/** Drives the run until it rests; asks a client that can answer the run's questions. */
async function driven(serving: Serving, run: Run, context: ServerContext, canAsk = true): Promise<ServedResult> {
  const { signal } = context.mcpReq
  const cancel = () => void run.cancel('The client cancelled its request.').catch(() => undefined)
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const asking = canAsk ? wayToAsk(serving, context) : 'not'
    return await settledOrAsked(serving, run, context, asking)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** A newer protocol asks by the result, an older one during the call. */
type Asking = 'by result' | 'while open' | 'not'

function wayToAsk({ sdk, server }: Serving, { mcpReq }: ServerContext): Asking {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope }
  const isNew = mcpReq.envelope !== undefined
  // Over HTTP each request of an older protocol is served separately, without knowledge of its client.
  const capabilities = isNew ? envelope[sdk.CLIENT_CAPABILITIES_META_KEY] : server.server.getClientCapabilities()
  const { elicitation } = capabilitySchema.parse(capabilities)
  const canElicit = elicitation !== undefined && ('form' in elicitation || Object.keys(elicitation).length === 0)
  return canElicit ? (isNew ? 'by result' : 'while open') : 'not'
}

const capabilitySchema = z.looseObject({ elicitation: z.looseObject({}).optional() }).catch({})

async function settledOrAsked(
  { sdk, seal }: Serving,
  run: Run,
  { mcpReq }: ServerContext,
  asking: Asking,
): Promise<ServedResult> {
  const tell = progressTo(mcpReq)
  for (;;) {
    for await (const event of run) await tell(event)
    const result = await run.settled()
    const questions = result.status === 'done' || asking === 'not' ? undefined : questionsOf(result.suspended)
    if (questions === undefined) return standingResult(result)
    const { inputRequests, asked } = questions
    if (asking === 'by result') {
      return sdk.inputRequired({ inputRequests, requestState: await seal({ runId: run.id, asked }) })
    }
    const decisions = decisionsOf(asked, await answersTo(questions, mcpReq))
    // Undecided calls stay pending, and the result says so.
    if (decisions.length === 0) return standingResult(result)
    await run.decide(decisions)
  }
}

/** The milliseconds that a person has for an answer during a call. */
const patienceMs = 600_000

/** Returns the answers of a client of an older protocol; a failed question has none. */
async function answersTo(
  { forms }: PendingQuestions,
  { elicitInput, signal }: ServerContext['mcpReq'],
): Promise<Readonly<Record<string, unknown>>> {
  const asking = Object.entries(forms).map(async ([callId, form]) => {
    const answer = await elicitInput(form, { timeout: patienceMs, signal }).catch(() => undefined)
    return [callId, answer] as const
  })
  return Object.fromEntries(await Promise.all(asking))
}

/** Returns a function that reports progress to a client that has requested it. */
function progressTo(mcpReq: ServerContext['mcpReq']): (event: unknown) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken
  let progress = 0
  return async (event) => {
    const message = messageOf(event)
    if (progressToken === undefined || message === undefined) return
    progress++
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } })
  }
}

/** Reports errors to the client as a result, without a stack. */
async function told(act: () => Promise<ServedResult>): Promise<ServedResult> {
  try {
    return await act()
  } catch (error) {
    return failed(thrownText(error))
  }
}

function failed(text: string): ServedResult {
  return { content: [{ type: 'text', text }], isError: true }
}
