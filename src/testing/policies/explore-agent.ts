import type { PolicyStep } from '../../core/domain/policies/policy-step.ts'
import type { PolicyMove } from './policy-script.ts'
import { type Left, type MoveParts, movesAt } from './moves-at.ts'
import { keyOf, type KeyParts } from './state-key.ts'
import { beforeStart, makeMove, type Rest, restsAfterWrites } from './walk-run.ts'
import { stepsIn } from './log-steps.ts'

/** A move from one resting state of a run to another, with the steps in between that policies see. */
export interface ProofEdge {
  readonly move: PolicyMove
  readonly steps: readonly PolicyStep[]
  readonly to: ProofNode
}

/** A resting state that many runs share. */
export interface ProofNode {
  readonly at: Rest['at']
  readonly waiting: Rest['waiting']
  edges: readonly ProofEdge[]
  /** False until the moves of the node have been made. */
  isWalked: boolean
}

/** All states that an agent's runs can reach within a bound. */
export interface ProofGraph {
  readonly start: ProofNode
  readonly nodes: readonly ProofNode[]
  readonly moves: number
  /** True if every move within the bound was made. */
  readonly isWhole: boolean
}

/** The subject of a walk. */
export interface Walked extends MoveParts, KeyParts {
  readonly bound: Left
  /** The maximum number of moves. */
  readonly steps: number
}

interface OpenNode extends ProofNode {
  readonly rest: Rest
  /** The largest bounds with which the node was or will be walked. */
  left: readonly Left[]
}

/** Walks an agent's runs by making each move for real, breadth first by the used part of the bound. */
export async function exploreAgent(walked: Walked): Promise<ProofGraph> {
  const explorer = new Explorer(walked)
  return explorer.explore()
}

class Explorer {
  readonly #walked: Walked
  readonly #nodes = new Map<string, OpenNode>()
  /** By what is used of the bound. */
  readonly #queue: { readonly node: OpenNode; readonly left: Left }[][] = []
  #moves = 0

  constructor(walked: Walked) {
    this.#walked = walked
  }

  async explore(): Promise<ProofGraph> {
    const { bound, steps } = this.#walked
    const { tools } = this.#walked.agent
    const begin: Rest = {
      at: 'crash',
      run: beforeStart,
      stored: undefined,
      waiting: [],
      inbox: [],
      logged: stepsIn([], [], tools),
    }
    const start = await this.#reach(begin, bound)
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      if (this.#moves >= steps) return this.#graph(start, false)
      await this.#walk(next.node, next.left)
    }
    return this.#graph(start, true)
  }

  #graph(start: ProofNode, isWhole: boolean): ProofGraph {
    return { start, nodes: [...this.#nodes.values()], moves: this.#moves, isWhole }
  }

  #next(): { readonly node: OpenNode; readonly left: Left } | undefined {
    const bucket = this.#queue.find((entries) => entries !== undefined && entries.length > 0)
    return bucket?.shift()
  }

  async #reach(rest: Rest, left: Left): Promise<OpenNode> {
    const { agent, bound } = this.#walked
    const key = await keyOf(agent, rest, this.#walked)
    const { at, waiting } = rest
    const node = this.#nodes.get(key) ?? { at, waiting, rest, edges: [], isWalked: at === 'done', left: [] }
    this.#nodes.set(key, node)
    if (at === 'done' || node.left.some((known) => covers(known, left))) return node
    node.left = [...node.left.filter((known) => !covers(left, known)), left]
    const used = bound.calls - left.calls + bound.decisions - left.decisions + bound.crashes - left.crashes
    ;(this.#queue[used] ??= []).push({ node, left })
    return node
  }

  async #walk(node: OpenNode, left: Left): Promise<void> {
    if (!node.left.includes(left)) return
    const { agent, steps } = this.#walked
    const { rest } = node
    const edges: ProofEdge[] = []
    for (const move of movesAt(rest, left, this.#walked)) {
      if (this.#moves >= steps) return
      this.#moves++
      const to = await makeMove(agent, rest.run, move)
      edges.push(await this.#edge(rest, move, to, left))
      if (left.crashes === 0) continue
      for (const [crash, crashed] of await restsAfterWrites(agent, rest.run, to.run))
        edges.push(await this.#edge(rest, { ...move, crash }, crashed, { ...left, crashes: left.crashes - 1 }))
    }
    node.edges = edges
    node.isWalked = rest.at !== 'wait' || left.decisions > 0
  }

  async #edge(from: Rest, move: PolicyMove, to: Rest, left: Left): Promise<ProofEdge> {
    const calls = left.calls - (to.logged.calls.size - from.logged.calls.size)
    const decisions = left.decisions - (move.kind === 'person' ? 1 : 0)
    const node = await this.#reach(to, { calls, decisions, crashes: left.crashes })
    return { move, steps: to.logged.steps.slice(from.logged.steps.length), to: node }
  }
}

function covers(one: Left, other: Left): boolean {
  return one.calls >= other.calls && one.decisions >= other.decisions && one.crashes >= other.crashes
}
