import { z } from 'zod'
import { type Agent, createAgent, type Tool, tool, type Toolset } from '../../src/index.ts'
import { scripted } from '../../src/adapters/providers/scripted.ts'
import { coreOf } from '../../src/core/driving/core-of.ts'
import { driveApart } from '../../src/core/family/open-work.ts'
import { memberNamed } from '../../src/core/family/lineage.ts'
import { memoryStore } from '../../src/core/stores/memory/memory-store.ts'
import { call, calls } from '../support/say.ts'
import { pick, randomFrom } from '../support/random.ts'
import { forgetAsBranch, forgetRules, type Way, ways } from './family-ways.ts'

/** An agent elsewhere, which says how often it was asked. */
export interface Elsewhere {
  readonly tool: () => Tool | Toolset
  /** Sets what happens when it is asked. */
  readonly hear: (asked: () => void) => void
}

/** The result of one random family of three levels. */
export interface PlayedRules {
  /** The number of tool executions and of agents that were begun. */
  readonly performed: number
  /** The number of those that ran after somebody had agreed. */
  readonly agreed: number
  /** The ways in which the second and the third agent were begun. */
  readonly ways: readonly Way[]
  /**
   * Calls that ran although a level denies them, or that a level asks about and nobody has agreed to, and calls that did not
   * run although no level says anything.
   */
  readonly faults: readonly string[]
}

interface Given {
  readonly name: string
  readonly n?: number
}

/** A rule with what it means, said a second time by hand. */
interface KnownRule {
  readonly text: string
  readonly fits: (given: Given) => boolean
}

interface Level {
  readonly deny: readonly KnownRule[]
  readonly ask: readonly KnownRule[]
  readonly allow: readonly KnownRule[]
}

const names = ['act', 'note']
/** The name of each agent below the root, and of the tool by which it comes about. */
export const nextLevel = 'level'
/** Families among which a fault has to be noticed. */
export const mostUnnoticed = 300

const forms: readonly ((name: string) => KnownRule)[] = [
  (name) => ({ text: name, fits: (given) => given.name === name }),
  ...[1, 2].map((n) => (name: string): KnownRule => ({
    text: `${name}(n = ${n})`,
    fits: (given) => given.name === name && given.n === n,
  })),
  (name) => ({ text: `${name}(n != 1)`, fits: (given) => given.name === name && given.n === 2 }),
  (name) => ({ text: `${name.slice(0, 2)}*`, fits: (given) => given.name === name }),
  () => ({ text: '/^n/(n = 2)', fits: ({ name, n }) => name === 'note' && n === 2 }),
]

/**
 * Plays a family of three levels whose agents have tools of the same names and rules of their own, and judges by hand what
 * runs. `plant` has the members that come about that way forget the rules above them.
 */
export async function playFamily(seed: number, elsewhere: Elsewhere, plant?: Way): Promise<PlayedRules> {
  const random = randomFrom(seed)
  const anyOf = <Item>(items: readonly [Item, ...Item[]]): Item => pick(items, random) ?? items[0]
  const rules = (): readonly KnownRule[] =>
    [0, 1].flatMap(() => {
      if (random() < 0.6) return []
      const name = random() < 0.15 ? nextLevel : (pick(names, random) ?? nextLevel)
      return pick(forms, random)?.(name) ?? []
    })
  const levels: readonly Level[] = [0, 1, 2].map(() => ({ deny: rules(), ask: rules(), allow: rules() }))
  const isPlayed = (way: Way, at: number) => (way === 'branch' ? at === 0 : way === 'remote' ? at === 1 : true)
  const links = [0, 1].map(
    (at) =>
      pick(
        ways.filter((way) => isPlayed(way, at)),
        random,
      ) ?? 'tool',
  )
  const store = memoryStore()
  const agreed = new Set<string>()
  const faults: string[] = []
  const counts = { performed: 0, agreed: 0 }
  /** The calls of each agent that was begun, and those of them that have run. */
  const wanted: { readonly level: number; readonly given: Given }[] = []
  const ran = new Set<string>()
  const deniedBy = (level: number, given: Given) =>
    levels.slice(0, level + 1).findIndex(({ deny }) => deny.some((rule) => rule.fits(given)))
  /** The highest level that asks. An allow of one level stands before an ask that is no more specific there. */
  const askedBy = (level: number, given: Given) =>
    levels.slice(0, level + 1).findIndex((one) => {
      return one.ask.some((rule) => rule.fits(given)) && !one.allow.some((rule) => rule.fits(given))
    })
  const judge = (level: number, given: Given, key?: string) => {
    counts.performed++
    ran.add(`${level} ${given.name}`)
    const what = `${given.name} ${given.n ?? ''} of level ${level} (${links.join(', ')})`
    const denier = deniedBy(level, given)
    if (denier >= 0) faults.push(`${what} runs, and level ${denier} denies it`)
    const asker = askedBy(level, given)
    const isAgreed = key !== undefined && agreed.has(key)
    if (isAgreed) counts.agreed++
    if (asker >= 0 && key !== undefined && !isAgreed) faults.push(`${what} runs, and level ${asker} asks about it`)
  }
  const isFree = (level: number, given: Given) =>
    deniedBy(level, given) < 0 && levels.slice(0, level + 1).every(({ ask }) => !ask.some((rule) => rule.fits(given)))
  const begun = (level: number) => {
    if (level > 0 && links[level - 1] !== 'branch') judge(level - 1, { name: nextLevel })
  }
  const agentAt = (level: number, more: readonly (Tool | Toolset)[]): Agent => {
    const tools = names.map((name) => {
      // Its call is performed by a run of its own, which asks nobody.
      const background = level === 2 && name === 'note' && seed % 3 === 0
      return tool({
        name,
        description: name,
        input: z.object({ n: z.number() }),
        background,
        execute: ({ n }, { runId, callId }) => {
          judge(level, { name, n }, background ? undefined : `${runId} ${callId}`)
          return 'done'
        },
      })
    })
    const given = names.map((name) => ({ name, n: anyOf([1, 2]) }))
    const own = given.map(({ name, n }) => call(name, name, { n }))
    const asks =
      more.length > 0 ? [...own, call(nextLevel, nextLevel, links[level] === 'handover' ? {} : { prompt: 'Go.' })] : own
    const reply = () => {
      begun(level)
      wanted.push(...given.map((one) => ({ level, given: one })))
      return calls(...asks)
    }
    const texts = (list: readonly KnownRule[]) => list.map(({ text }) => text)
    const { deny = [], ask = [], allow = [] } = levels[level] ?? {}
    return createAgent({
      name: level === 0 ? 'top' : nextLevel,
      store,
      model: scripted([reply, 'Done.', 'Done.', 'Done.'], { by: 'calls' }),
      tools: [...tools, ...more],
      permissions: { rules: { deny: texts(deny), ask: texts(ask), allow: texts(allow) } },
    })
  }
  elsewhere.hear(() => begun(2))
  const toolFor = (way: Way | undefined, agent: Agent): Tool | Toolset => {
    if (way === 'remote') return elsewhere.tool()
    if (way === 'handover') return agent.asHandover({ when: 'Always.' })
    return agent.asTool({ description: 'Works.', background: way === 'background', continue: way === 'continue' })
  }
  const low = agentAt(2, [])
  const middle = agentAt(1, [toolFor(links[1], low)])
  const isGroup = links[0] === 'branch'
  const top = agentAt(0, isGroup ? [] : [toolFor(links[0], middle)])
  const core = coreOf(top, 'playFamily')
  for (const [at, way] of links.entries()) {
    if (way !== plant) continue
    if (way === 'branch') forgetAsBranch(middle)
    else forgetRules(isGroup ? middle : top, way, isGroup ? at : at + 1)
  }
  const root = isGroup
    ? await top.session('s').parallel([middle], { prompt: 'Go.', strategy: 'transparent' })
    : top.start('Go.', { runId: 'r' })
  await root.settled()
  for (let turn = 0; turn < 12; turn++) {
    const open = (await store.list({ status: 'running' })).concat(await store.list({ status: 'waiting' }))
    for (const record of open) {
      const member = 'damaged' in record ? undefined : memberNamed(core, record.agent)
      if (member !== undefined) await driveApart(member, record.id)
    }
    let isDone = (await store.list({ status: 'running' })).length === 0
    for (const waiting of await top.suspended()) {
      if (!('calls' in waiting)) continue
      const run = await top.load(waiting.record.id)
      for (const { callId } of waiting.calls) {
        isDone = false
        if (random() < 0.3) await run.deny(callId, { reason: 'No.' })
        else if ((await run.approve(callId)).answer === 'applied') agreed.add(`${waiting.record.id} ${callId}`)
      }
    }
    if (isDone) break
  }
  await top.close()
  for (const { level, given } of wanted) {
    const isMissed = isFree(level, given) && !ran.has(`${level} ${given.name}`)
    if (isMissed) faults.push(`${given.name} ${given.n} of level ${level} (${links.join(', ')}) does not run`)
  }
  return { ...counts, ways: links, faults }
}
