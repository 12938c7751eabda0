import type { RunInput } from '../../../machines/run/run.types.ts'
import { memoryStore } from '../stores/memory/memory-store.ts'
import type { Agent, CloseOptions } from './agent.ts'
import { versionIn, versionOf } from '../driving/agent-version.ts'
import { agentCore, type AgentCore, type Speech } from '../driving/agent-core.ts'
import { checkAgentOptions, checkListener, checkMethodOptions } from './agent-shape.ts'
import { limitsWithQuota } from '../driving/start-details.ts'
import { partsOf, type AgentOptions } from './options.ts'
import { actionAt, runOptionsOf } from '../driving/run-options.ts'
import { keepCore } from '../driving/core-of.ts'
import { bindChildTools } from '../family/bind-child-tools.ts'
import { asChildTool, asHandoverTool, asOneCall, bindTo } from './bind-agents.ts'
import { defined, freezeDeep, type Json } from '../domain/text/json.ts'
import { inheritedBy, isParent, keepBindable, memberNamed, rulesOfSpeaker, type Lineage } from '../family/lineage.ts'
import { accountIn, runAccount } from '../family/run-account.ts'
import { plainItems, plainStore } from '../plain/decide-plain.ts'
import { assembleRun, chartsOf, runCharts } from '../driving/run-charts.ts'
import { toldMemory } from '../driving/told-memory.ts'
import { plainMachine, type PlainMachine, type ProvideOptions } from '../plain/plain-machine.ts'
import type { PlainRun } from '../plain/plain-run.ts'
import { inputOf, type Prompt } from '../driving/read-prompt.ts'
import type { OutputOf, Schema } from '../ports/schema.ts'
import type { Tool } from '../ports/tool.ts'
import type { Toolset } from '../ports/toolset.ts'
import { toolDefinitions } from '../effects/model/tool-definitions.ts'
import type { ToolTypeOf } from './tool-types.ts'
import { linkBroker, type LinkedBroker } from './link-broker.ts'
import { resumeRun } from '../driving/resume-run.ts'
import { RunHandle } from './run-handle.ts'
import { checkedId, namedRun } from '../driving/create-run.ts'
import { storeRun, type StartOptions } from '../driving/start-run.ts'
import { SessionHandle } from '../sessions/session-handle.ts'
import { transcriptAfter } from '../sessions/transcript-after.ts'
import { checkedConfigId } from '../sessions/config-id.ts'
import { plainStanding, steerPlain } from './plain-standing.ts'
import { findStored } from './find-stored.ts'
import { checkedClock } from './checked-clock.ts'
import { randomIds, systemClock } from '../ports/system-clock.ts'
import { checkedLease } from '../domain/option-numbers.ts'
import { oldPlatform } from '../domain/text/platform.ts'
import { UsageError } from '../domain/text/usage-error.ts'
import type { Store } from '../ports/store.ts'
import { missingMethods } from '../ports/store-methods.ts'

/**
 * Creates an agent. Throws a `UsageError` for an unknown, missing or invalid option.
 *
 * @example
 * const agent = createAgent({ name: 'guide', model: scripted(['Hello.']) })
 * const { text } = await agent.run('Hi')
 */
export function createAgent<
  const List extends readonly (Tool | Toolset)[] = readonly (Tool | Toolset)[],
  const Output extends Schema = Schema,
>(options: AgentOptions<List, Output>): Agent<ToolTypeOf<List[number]>, OutputOf<Output>>
/** The overload for options whose tools the compiler does not know. */
export function createAgent(options: AgentOptions): Agent {
  return makeAgent(options)
}

/** Creates an agent, or a sub-agent of a host. */
function makeAgent(options: AgentOptions, lineage?: Lineage): Agent {
  if (typeof Promise.withResolvers !== 'function') throw new UsageError('old_platform', oldPlatform())
  checkAgentOptions(options, lineage !== undefined)
  const runOptions = freezeDeep(runOptionsOf(options))
  const grantedOptions = (quota: number) => {
    const action = actionAt('max_tool_interactions', options.onLimit ?? {})
    return { ...runOptions, limits: limitsWithQuota(runOptions.limits, quota, action) }
  }
  const memory = options.memory && toldMemory(options.memory)
  const family = bindChildTools(
    options.tools ?? [],
    () => core,
    (tool) => asOneCall(makeAgent, options, tool),
  )
  const plugins = [...(options.plugins ?? []), ...(memory === undefined ? [] : [memory.plugin]), ...family.plugins]
  const accountFor = (id: string, input: Json) => {
    const account = accountIn(id, input, family.isParent)
    return account && runAccount(core.store, id, account)
  }
  const core: AgentCore = agentCore({
    name: options.name,
    agentId: options.id ?? options.name,
    ...(lineage ? versionIn(lineage.host) : versionOf(options.version)),
    ...(options.configId === undefined ? {} : { configId: checkedConfigId(options.configId) }),
    parts: {
      ...partsOf({ ...options, plugins, tools: family.tools }),
      isRemembering: memory !== undefined,
      ...(lineage && { inherited: inheritedBy(lineage) }),
      isInFamily: lineage !== undefined || family.isParent,
      ...((lineage ?? family.isParent) && { rulesOfSpeaker: (name: string) => rulesOfSpeaker(core, name) }),
    },
    ...((lineage ?? family.isParent) && { speech: speechOf(() => core) }),
    store: checkedStore(options.store ?? memoryStore()),
    history: options.history === true,
    runOptions: (quota) => (quota === undefined ? runOptions : grantedOptions(quota)),
    clock: (options.clock && checkedClock(options.clock)) ?? systemClock,
    ids: options.ids ?? randomIds,
    leaseMs: checkedLease(options.leaseMs ?? 30_000),
    ...(options.interpreter === undefined ? {} : { charts: chartsOf(undefined, options.interpreter) }),
    ...defined({ configName: options.configName, inspect: options.inspect, tracer: options.tracer }),
    accountFor,
  })
  memory?.begin(core)
  family.begin()
  const newRun = (prompt: Prompt, startOptions: StartOptions = {}): RunHandle => {
    const input = { ...inputFor(prompt), options: core.runOptions(startOptions.quota) }
    const { id, ...opening } = storeRun(core, input, startOptions)
    return new RunHandle(core, id, opening)
  }
  const loadGranted = async () => (await import('./find-granted.ts')).findGranted(core)
  const stop = async () => (isParent(core) ? (await import('../family/group-core.ts')).closeGroups(core) : undefined)
  let closed: Promise<void> | undefined
  const close = (closeOptions: CloseOptions = {}) => {
    checkMethodOptions('close', closeOptions)
    return (closed ??= closeAgent(core, closeOptions, [{ stop }, family, linked, memory]))
  }
  const inputFor = (prompt: Prompt): RunInput => ({ options: runOptions, ...inputOf(prompt, core) })
  const plainRuns = new WeakMap<object, PlainRun>()
  const provide = (provideOptions: ProvideOptions = {}) => {
    checkMethodOptions('provide', provideOptions)
    const { parts, clock, ids } = core
    const { watched, fallbacks } = runOptions
    return plainMachine(
      {
        name: options.name,
        charts: { ...runCharts, assemble: assembleRun, toEvent: core.toEvent },
        parts,
        clock,
        ids,
        inputOf: inputFor,
        current: { watched, fallbacks },
        runs: plainRuns,
      },
      provideOptions,
    )
  }
  let machine: PlainMachine | undefined
  const made: Agent = {
    name: options.name,
    ...defined({ version: core.version }),
    ...(options.store === undefined ? {} : { store: options.store }),
    get machine() {
      return (machine ??= provide())
    },
    provide,
    asTool: (given) => asChildTool(makeAgent, options, given),
    asHandover: (given) => asHandoverTool(makeAgent, options, given),
    tool: async (name) => {
      const found = await core.parts.tools.find(name)
      return found && toolDefinitions(new Map([[name, found]]))[0]
    },
    machineInput: (prompt, given = {}) => ({ ...inputFor(prompt), ...transcriptAfter(given) }),
    snapshot: async (runId) => {
      const { storedPair } = await import('./stored-pair.ts')
      return storedPair(core.store, namedRun(runId))
    },
    decide: async (actor, decisions) => {
      const [store, items] = [plainStore(plainRuns.get(actor)), plainItems(decisions)]
      const { storeFittingDecisions } = await import('../driving/store-decisions.ts')
      return storeFittingDecisions({ ...core, store }, 'plain', items)
    },
    standing: (actor) => plainStanding(plainRuns.get(actor)),
    steer: (actor, said) => steerPlain(plainRuns.get(actor), said, core),
    start: (prompt, startOptions) => {
      if (startOptions !== undefined) checkMethodOptions('start', startOptions)
      const run = newRun(prompt, startOptions)
      if (startOptions?.drive !== false) run.begin({ isWatched: true }).catch(() => undefined)
      return run
    },
    run: async (prompt, given) => {
      if (given !== undefined) checkMethodOptions('run', given)
      const result = newRun(prompt, given).settled()
      core.openRuns.track(result)
      return result
    },
    on: (listener) => {
      checkListener('agent.on', listener)
      return core.watchers.listen(listener)
    },
    load: async (runId, loadOptions = {}) => {
      checkMethodOptions('load', loadOptions)
      const { agent } = await core.store.record(namedRun(runId))
      return new RunHandle(memberNamed(core, agent) ?? core, runId, { agent, adopts: loadOptions.adopt === true })
    },
    session: (id, sessionOptions = {}) =>
      new SessionHandle(
        core,
        id,
        sessionOptions,
        (runId, opening, driver = core) => new RunHandle(driver, runId, opening),
        async (agents, strategy) => (await import('./group-of.ts')).checkedGroup(core, agents, strategy),
      ),
    receive: async (event) => {
      const { receiveEvent } = await import('../driving/receive-event.ts')
      return receiveEvent(core, event)
    },
    fork: async (runId, forkOptions) => {
      checkMethodOptions('fork', forkOptions)
      const { from, runId: forkId = core.ids.next('run') } = forkOptions
      core.openRuns.refuseIfClosed()
      const { forkRun } = await import('../driving/fork-run.ts')
      const source = await core.store.checkpoint(namedRun(runId), from)
      await forkRun(core, source, from, checkedId(forkId))
      return new RunHandle(core, forkId, { adopts: true })
    },
    ...findStored(core),
    grants: async (filter) => (await loadGranted()).grants(filter),
    revoke: async (grantId, by) => (await loadGranted()).revoke(grantId, by),
    audit: async (filter) => (await loadGranted()).audit(filter),
    resume: async (runId, loadOptions = {}) => {
      checkMethodOptions('load', loadOptions)
      const adopts = loadOptions.adopt === true
      const { agent: name } = await core.store.record(namedRun(runId))
      const own = memberNamed(core, name) ?? core
      return resumeRun(own, runId, (agent) => new RunHandle(own, runId, { agent, adopts }))
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  }
  keepCore(made, core)
  keepBindable(made, { name: options.name, bind: (above) => bindTo(makeAgent, options, above) })
  const linked = options.broker === undefined ? undefined : linkBroker(core, options.broker, (id) => made.resume(id))
  return made
}

/** Closes the agent. The signals of running tools fire before the resources of the tools are closed. */
async function closeAgent(
  { parts, openRuns, clock }: AgentCore,
  { drainMs = 0 }: CloseOptions,
  linked: readonly (Pick<LinkedBroker, 'stop'> | undefined)[],
): Promise<void> {
  const drained = new AbortController()
  const isOver = drainMs > 0 ? clock.sleepUntil(clock.now() + drainMs, drained.signal) : Promise.resolve()
  await openRuns.close(isOver)
  drained.abort()
  for (const part of linked) await part?.stop()
  await parts.tools.close()
}

/** Returns an agent's store; throws a `UsageError` that names its missing methods. */
function checkedStore(store: Store): Store {
  const missing = missingMethods(store)
  if (missing.length === 0) return store
  const wish = 'Use a store such as sqliteStore(path), or add them: storeSuite of statewright/testing tests each.'
  throw new UsageError('bad_option', `The store has no ${missing.join(', ')}, which every store must have. ${wish}`)
}

/** Returns the functions that continue an agent's conversations with other agents of its family. */
function speechOf(core: () => AgentCore): Speech {
  return {
    after: async (original) => (await import('../family/begin-handover.ts')).speechAfter(core(), original),
    begin: async (id, from) => {
      const { beginUnasked } = await import('../sessions/begin-run.ts')
      const hasGoneOn = (lastRun: string | undefined) => lastRun !== from.original.record.id
      return (await beginUnasked(core(), id, async ({ lastRun }) => (hasGoneOn(lastRun) ? undefined : from))).id
    },
  }
}
