import type { Agent } from '../agent/agent.ts'
import { RunHandle } from '../agent/run-handle.ts'
import { callback, checkOptions, filledText, flag, optional, type OptionShape } from '../domain/text/option-shape.ts'
import { isRecord, type Json, type JsonObject } from '../domain/text/json.ts'
import { thrownText } from '../domain/text/thrown-text.ts'
import { sha256 } from '../domain/text/platform.ts'
import type { ServedRequest } from '../domain/run-details.ts'
import { answerTo, errorTypeOf, readEvent, runIn, type ServiceEvent } from '../domain/service-event.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import { checkValue } from '../effects/tools/check-value.ts'
import { jsonSchemaOf } from '../effects/tools/json-schema-of.ts'
import type { AgentCore } from '../driving/agent-core.ts'
import { coreOf } from '../driving/core-of.ts'
import { inputOf, type Prompt } from '../driving/read-prompt.ts'
import { storeRun } from '../driving/start-run.ts'
import type { Broker } from '../ports/broker.ts'
import { checkContract } from '../ports/define-contract.ts'
import type { ServiceContract } from '../ports/service-contract.ts'

/** Options for serving an agent. */
export interface ServeOptions {
  /** The prompt of a run, from the data of the requesting event. Default: its `message`, or else the data as JSON. */
  readonly prompt?: (data: Json, event: ServiceEvent) => Prompt
  /** The type of a finished run's answer. Default: the only one of the contract. */
  readonly emits?: string
  /** False: runs are only stored, for a worker. Default true. */
  readonly drive?: boolean
}

/**
 * Lets an agent work as a service. Each request event begins one run, however often it arrives. The commit that ends
 * the run also stores the answer to send. Returns a function that stops serving. Throws a `UsageError` for invalid
 * arguments.
 *
 * @example
 * const stop = serveAgent(reviewer, review, broker)
 */
export function serveAgent(
  agent: Agent,
  contract: ServiceContract,
  broker: Broker,
  options: ServeOptions = {},
): () => void {
  checkContract(contract)
  checkOptions('serveAgent', options, shape)
  const core = coreOf(agent, 'serveAgent')
  const emits = emittedType(contract, options.emits)
  const schema = schemaOf(contract, emits)
  return broker.subscribe({ types: [contract.type] }, async (given) => {
    const read = readEvent(given)
    if ('problem' in read) throw new Error(read.problem)
    const { event } = read
    const errorMessage = await problemOf(contract, event)
    if (errorMessage === undefined) return begin(core, { contract, emits, schema, ...options }, event)
    const source = `/agents/${encodeURIComponent(core.name)}`
    const data = { errorMessage }
    await broker.publish(answerTo(event, { source, type: errorTypeOf(contract.type), data }))
    return undefined
  })
}

/** Returns why a received request cannot be served. */
async function problemOf(
  { type, version, accepts }: ServiceContract,
  { contractversion, data = null }: ServiceEvent,
): Promise<string | undefined> {
  if (contractversion !== undefined && contractversion !== version)
    return `It is of version ${JSON.stringify(contractversion)} of the contract "${type}"; expected "${version}".`
  const { issues } = await checkValue(accepts, data)
  return issues === undefined ? undefined : `The data does not fit "${type}":\n${issues}`
}

interface Serving extends ServeOptions {
  readonly contract: ServiceContract
  readonly emits: string
  readonly schema: JsonObject
}

/** Resolves once the run is stored: then the event need not be sent again. */
async function begin(core: AgentCore, serving: Serving, event: ServiceEvent): Promise<void> {
  const { contract, emits, schema, drive = true, prompt = promptIn } = serving
  const { id, source, subject, data = null, delegatedby } = event
  const served: ServedRequest = {
    id,
    source,
    type: contract.type,
    emits,
    version: contract.version,
    schema,
    ...(subject === undefined ? {} : { subject }),
    ...(runIn(source) === undefined && typeof event['replydomain'] === 'string'
      ? { domain: event['replydomain'] }
      : {}),
  }
  const input = { options: core.runOptions(), ...inputOf(prompt(data, event), core), served }
  const runId = `svc-${sha256(JSON.stringify([source, id])).slice(0, 32)}`
  const details = {
    runId,
    ifExists: 'attach' as const,
    drive,
    delegatedBy: (delegatedby === undefined ? source : `${delegatedby} ${source}`).slice(-1_000),
    ...(subject === undefined ? {} : { subject: subject.slice(0, 1_000) }),
  }
  const { id: stored, ...opening } = storeRun(core, input, details)
  const run = new RunHandle(core, stored, opening)
  if (drive) run.begin({ isWatched: false }).catch(() => undefined)
  await opening.stored.catch(takenBefore)
}

/** A repeated event with another body does not change the first one. */
function takenBefore(error: unknown): void {
  if (!(error instanceof UsageError) || error.code !== 'other_prompt') throw error
}

function promptIn(data: Json): Prompt {
  const message = isRecord(data) ? data['message'] : data
  return typeof message === 'string' && message !== '' ? message : JSON.stringify(data)
}

function emittedType({ type, emits }: ServiceContract, wanted: string | undefined): string {
  const known = Object.keys(emits)
  const [only, ...others] = known
  const chosen = wanted ?? (others.length === 0 ? only : undefined)
  if (chosen !== undefined && known.includes(chosen)) return chosen
  const wish = `Give serveAgent { emits } as one of ${known.join(', ')}.`
  throw new UsageError('bad_option', `Contract "${type}" emits several types, and it is not said which. ${wish}`)
}

/** Stored with each run, so that any process can check the answer. */
function schemaOf({ type, emits }: ServiceContract, emitted: string): JsonObject {
  try {
    return jsonSchemaOf(emits[emitted] ?? {})
  } catch (error) {
    throw new UsageError(
      'bad_option',
      `The answer schema of contract "${type}" cannot be checked. ${thrownText(error)}`,
    )
  }
}

const shape: OptionShape<ServeOptions> = {
  prompt: optional(callback),
  emits: optional(filledText),
  drive: optional(flag),
}
