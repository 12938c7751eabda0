import { z } from 'zod'
import { createAgent, type Plugin, type PermissionOptions, type Store, tool } from '../../src/index.ts'
import type { DecisionScope, PermissionAsk } from '../../src/ports.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { KnownGrants } from './known-grants.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { pick, randomFrom } from '../support/random.ts'

/** The result of one random combination of policy, manager, rules, needs, plugins and answers. */
export interface PlayedCombination {
  /** The number of tool executions. */
  readonly performed: number
  /** The number of those that ran by a grant. */
  readonly granted: number
  /** Calls that ran without permission, and other faults. */
  readonly faults: readonly string[]
}

const callIdsOf = ({ calls }: PermissionAsk) => calls.map(({ callId }) => callId)

interface Given {
  readonly name: string
  readonly n: number | undefined
  /** A command line, of commands with `; ` between two. */
  readonly line: string | undefined
}

/** A rule with what it means, said a second time by hand. */
interface KnownRule {
  readonly text: string
  /** Asked about each command of a line by itself. */
  readonly fits: (given: Given, command?: string) => boolean
  /** The program that it is about; absent if it does not look at the line. */
  readonly program?: string
}

const aboutLine = (name: string, program: string): KnownRule => ({
  text: `${name}(command ~ "${program} *")`,
  fits: (given, command) => given.name === name && command?.startsWith(`${program} `) === true,
  program: `${name} ${program}`,
})

const lines = ['ls a', 'git a', 'npm a', 'rm a', 'ls a; git b', 'git a; npm b', 'git a; make b', 'make a; ls b']
/** One of which nobody can tell what it runs, and one that runs another program in a way of its own. */
const unclearLines = ['sh -c a', 'flock a rm b']

const names = ['alpha', 'beta', 'gamma']

const ruleForms: readonly ((name: string) => KnownRule)[] = [
  (name) => ({ text: name, fits: (given) => given.name === name }),
  (name) => ({ text: `${name}(n = 1)`, fits: (given) => given.name === name && given.n === 1 }),
  (name) => ({
    text: `${name}(n != 1)`,
    fits: (given) => given.name === name && given.n !== undefined && given.n !== 1,
  }),
  (name) => ({ text: `${name}(n ~ "*")`, fits: (given) => given.name === name && given.n !== undefined }),
  (name) => ({ text: `${name}(n !~ /1/, gone = 1)`, fits: () => false }),
  () => ({ text: '*a', fits: () => true }),
  () => ({ text: '/^b/(n = 2)', fits: (given) => given.name === 'beta' && given.n === 2 }),
]

const asks = ['none', 'approval', 'asks', 'passes', 'throws'] as const
const policies = ['none', 'some', 'all', 'throws', 'text', 'others', 'holes'] as const
const managers = ['none', 'some', 'throws', 'text', 'inherits', 'words', 'late'] as const
const words = ['approved', 'denied', 'requestable', 'Approved', true, null] as const

/** Plays one combination by its seed and judges what ran; every need, rule and answer is looked at by hand. */
export async function playCombination(seed: number, store: Store = memoryStore()): Promise<PlayedCombination> {
  const random = randomFrom(seed)
  const anyOf = <Item>(items: readonly Item[]): Item => {
    const found = pick(items, random)
    if (found === undefined) throw new Error('Nothing to pick from.')
    return found
  }
  const some = <Item>(items: readonly Item[]) => items.filter(() => random() < 0.4)
  /** In a third of the combinations little but grants decides: each of two rules asks about another call of a tool. */
  const isOfGrants = random() < 1 / 3
  /** Half of these have rules about command lines instead. */
  const isOfLines = isOfGrants && random() < 1 / 2
  const ofLines = {
    deny: some(names).map((name) => aboutLine(name, 'rm')),
    allow: names.map((name) => aboutLine(name, 'ls')),
    ask: names.flatMap((name) => ['git', 'npm'].map((program) => aboutLine(name, program))),
  }
  const ofArguments = {
    deny: isOfGrants ? [] : some([1, 2]).map(() => anyOf(ruleForms)(anyOf(names))),
    allow: isOfGrants ? [] : some([1, 2, 3]).map(() => anyOf(ruleForms)(anyOf(names))),
    ask: isOfGrants
      ? names.flatMap((name) => ruleForms.slice(1, 3).map((form) => form(name)))
      : some([1, 2, 3]).map(() => anyOf(ruleForms)(anyOf(names))),
  }
  const rules = isOfLines ? ofLines : ofArguments
  const needs = new Map(names.map((name) => [name, anyOf(asks)]))
  const policy = isOfGrants ? 'none' : anyOf(policies)
  const governed = some(names)
  const manager = anyOf(managers)
  // Beside a manager that is waited for no plugin may be late on a busy machine.
  const gate = isOfGrants || manager === 'late' || random() < 0.7 ? 'none' : anyOf(['block', 'suspend'] as const)
  /** Calls of which the manager said yes when it was asked about them last. */
  const authorised = new Set<string>()
  const approvedCalls = new Set<string>()
  const grants = new KnownGrants()
  const faults: string[] = []
  let performed = 0

  const isGoverned = (name: string) =>
    policy !== 'none' &&
    policy !== 'others' &&
    (['some', 'all'].includes(policy) ? policy === 'all' || governed.includes(name) : true)
  const fits = (list: readonly KnownRule[], given: Given, command?: string) =>
    list.some((rule) => rule.fits(given, command))
  /** Whether rules look at the line, and nobody can tell whether one of them is about what it runs. */
  const isUnclear = ({ name, line = '' }: Given) =>
    (line === 'sh -c a' && isOfLines) ||
    (line === 'flock a rm b' && rules.deny.some(({ program }) => program === `${name} rm`))
  const judge = (given: Given, runId: string, callId: string) => {
    const fault = (why: string) => faults.push(`${given.name} ${String(given.n)} ${given.line ?? ''}: ${why}`)
    if (gate === 'block') fault('a plugin blocks it')
    const commands = given.line?.split('; ') ?? [undefined]
    if (commands.some((command) => fits(rules.deny, given, command))) fault('a rule denies it')
    if (isGoverned(given.name) && !authorised.has(callId)) fault('it is not authorised')
    const need = needs.get(given.name) ?? 'none'
    const isNeeded = need !== 'none' && need !== 'passes'
    // Each command that is not allowed asks by all rules about it, and by its tool if there is none.
    const asking = commands.flatMap((command): readonly (string | undefined)[] => {
      if (fits(rules.allow, given, command)) return []
      const found = rules.ask.filter((rule) => rule.fits(given, command)).map(({ text }) => text)
      return found.length > 0 || !isNeeded ? found : [undefined]
    })
    if (asking.length === 0 && gate !== 'suspend' && !isUnclear(given)) return
    if (approvedCalls.has(`${runId} ${callId}`)) return grants.spend(runId, callId)
    if (gate === 'suspend') return void fault('nobody has answered the plugin')
    if (!grants.allows(given, asking, runId, isUnclear(given))) fault('nobody has approved it')
  }
  const tools = names.map((name) => {
    const need = needs.get(name)
    const ask = (): boolean => {
      if (need === 'throws') throw new Error('no')
      return need === 'asks'
    }
    return tool({
      name,
      description: name,
      input: z.object({ n: z.number().optional(), command: z.string().optional() }),
      ruleFields: { command: 'command' },
      ...(need === 'none' ? {} : { needs: need === 'approval' ? ('approval' as const) : ask }),
      execute: ({ n, command: line }, { runId, callId }) => {
        performed++
        judge({ name, n, line }, runId, callId)
        return 'done'
      },
    })
  })
  const get = (asked: readonly PermissionAsk[]): unknown => {
    for (const callId of asked.flatMap(callIdsOf)) authorised.delete(callId)
    if (manager === 'throws') throw new Error('down')
    if (manager === 'late') return new Promise(() => {})
    if (manager === 'text') return 'approved'
    if (manager === 'inherits') return Object.create(Object.fromEntries(asked.map(({ name }) => [name, 'approved'])))
    const choices = manager === 'words' ? words : words.slice(0, 3)
    const answers = asked.filter(() => random() < 0.8).map(({ name }) => [name, anyOf<unknown>(choices)] as const)
    const approved = new Set(answers.flatMap(([name, answer]) => (answer === 'approved' ? name : [])))
    for (const one of asked) if (approved.has(one.name)) callIdsOf(one).forEach((callId) => authorised.add(callId))
    return Object.fromEntries(answers)
  }
  const saidBy: Record<(typeof policies)[number], () => unknown> = {
    none: () => [],
    some: () => governed,
    all: () => names,
    throws: () => {
      throw new Error('down')
    },
    text: () => 'alpha',
    others: () => ['gone'],
    holes: () => ['alpha', undefined],
  }
  const plugin: Plugin = {
    name: 'p',
    gateCall: () =>
      gate === 'block' ? { block: 'no' } : gate === 'suspend' ? { suspend: { message: 'Why?' } } : undefined,
  }
  const texts = (list: readonly KnownRule[]) => list.map(({ text }) => text)
  const permissions: PermissionOptions = {
    rules: { deny: texts(rules.deny), allow: texts(rules.allow), ask: texts(rules.ask) },
    ...(policy === 'none' ? {} : { policy: () => saidBy[policy]() as never }),
    ...(manager === 'none' ? {} : { manager: { get: (_, asked) => get(asked) as never } }),
  }
  const argumentsOf = (n: number) => {
    if (isOfLines) return { command: anyOf(random() < 0.2 ? unclearLines : lines) }
    return random() < 0.3 ? {} : { n }
  }
  const turns = [1, 2].map((turn) => ({
    toolCalls: names.flatMap((name) =>
      some([1, 2]).map((n) => ({ id: `${turn}${name}${n}`, name, arguments: argumentsOf(n) })),
    ),
  }))
  const replies = [
    ...turns.filter(({ toolCalls }) => toolCalls.length > 0),
    ...Array.from({ length: 12 }, () => 'Done.'),
  ]
  const agent = createAgent({
    name: 'fuzzed',
    store,
    model: scripted(replies),
    tools,
    ...(gate === 'none' ? {} : { plugins: [plugin] }),
    permissions,
    limits: { pluginTimeoutMs: manager === 'late' ? 5 : Infinity },
  })
  const scopes: readonly { readonly scope?: DecisionScope }[] = [
    {},
    { scope: 'once' },
    { scope: 'run' },
    { scope: 'always' },
  ]
  const isOfUser = random() < 0.7
  /** Answers what waits, each time with a scope of its own, and takes a grant back now and then; yields at each wait. */
  async function* play(id: string): AsyncGenerator<void> {
    const run = agent.start('Go', { runId: id, ...(isOfUser ? { userId: 'ann' } : {}) })
    let result = await run.settled()
    for (let wait = 0; wait < 8 && result.status === 'waiting'; wait++) {
      yield
      for (const { callId, isHold, toolName, arguments: given, suspension } of result.suspended) {
        const isDenied = random() < 0.3
        if (isHold === true) {
          await (isDenied ? run.deny(callId) : run.approve(callId))
          continue
        }
        const asked = anyOf(scopes)
        const { scope } = asked
        const { answer } = await (isDenied ? run.deny(callId, asked) : run.approve(callId, asked))
        const isTaken = answer === 'applied'
        const [n, line] = [Object(given).n as number | undefined, Object(given).command as string | undefined]
        const isOnlyOnce = isUnclear({ name: toolName, n, line })
        const mayLast = suspension?.reason === 'approval' && !isOnlyOnce && (scope !== 'always' || isOfUser)
        if ((scope === 'run' || scope === 'always') && isTaken !== mayLast) faults.push(`scope ${scope}: ${answer}`)
        if (!isTaken) await (isDenied ? run.deny(callId) : run.approve(callId))
        if (!isDenied) approvedCalls.add(`${id} ${callId}`)
        if (isTaken && scope !== undefined) {
          const rule = suspension?.rule
          grants.add({ name: toolName, n, line, rule, scope, runId: id, isOfUser, isDenied, callId })
        }
      }
      if (random() < 0.2) {
        const [grant] = await agent.grants()
        if (grant !== undefined && (await agent.revoke(grant.id)) !== undefined) {
          grants.revoke(grant)
          if (grant.scope === 'once') approvedCalls.delete(`${grant.runId} ${grant.callId}`)
        }
      }
      result = await run.settled()
    }
    if (result.status === 'waiting') await run.cancel()
    if (result.outcome.reason === 'error') faults.push(`it ended in error: ${result.outcome.error?.message ?? ''}`)
  }
  // What a run was granted for itself goes with the run: another one has to ask meanwhile.
  await inTurns(isOfGrants ? [[play('one'), play('two')]] : [[play('one')], [play('two')]])
  await agent.close()
  return { performed, granted: grants.used, faults }
}

/** Plays each row to its end before the next; those of a row go on by turns. */
async function inTurns(rows: readonly (readonly AsyncGenerator<void>[])[]): Promise<void> {
  for (const row of rows) {
    let open = row
    while (open.length > 0) {
      const going: AsyncGenerator<void>[] = []
      for (const one of open) if ((await one.next()).done !== true) going.push(one)
      open = going
    }
  }
}
