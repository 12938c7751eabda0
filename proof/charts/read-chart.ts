import type { AnyStateMachine } from 'xstate'

/** One arrow of a chart, in the words of its config. */
export interface Arrow {
  /** Path of the state it leaves, `running.round`; empty for the root. */
  readonly from: string
  /** Event type, `done(src)`, `error(src)`, `done(state)`, or `always`. */
  readonly event: string
  readonly guard: string
  /** Path of the state it enters; null where it stays and only acts. */
  readonly to: string | null
  readonly reenters: boolean
  readonly actions: readonly string[]
}

/** One state of a chart, the root first and children after their parent. */
export interface State {
  readonly path: string
  readonly kind: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  readonly description: string
  readonly initial: string | null
  readonly entry: readonly string[]
  readonly exit: readonly string[]
  /** `src as id` for each invoked actor. */
  readonly invokes: readonly string[]
  readonly arrows: readonly Arrow[]
}

/** A machine as docs and golden files need it. */
export interface Chart {
  readonly name: string
  readonly description: string
  readonly states: readonly State[]
}

type StateNode = AnyStateMachine['root']

/** Reads a machine's states and arrows; refuses anything in a config that is not a name. */
export function readChart(name: string, machine: AnyStateMachine): Chart {
  return { name, description: machine.root.description ?? '', states: readStates(machine.root) }
}

function readStates(node: StateNode): readonly State[] {
  return [readState(node), ...Object.values(node.states).flatMap((child) => readStates(child))]
}

function readState(node: StateNode): State {
  const sources = new Map(node.invoke.map(({ id, src }) => [id, nameOf(src, node)]))
  const listed = [...node.transitions].flatMap(([, transitions]) => transitions)
  return {
    path: pathOf(node),
    kind: node.type,
    description: node.description ?? '',
    initial: node.type === 'compound' ? (node.initial.target ?? []).map(pathOf).join(', ') : null,
    entry: node.entry.map((action) => nameOf(action, node)),
    exit: node.exit.map((action) => nameOf(action, node)),
    invokes: node.invoke.map(({ id, src }) => (id === src ? id : `${nameOf(src, node)} as ${id}`)),
    arrows: [...listed, ...(node.always ?? [])].map((transition) => ({
      from: pathOf(node),
      event: eventName(transition.eventType, sources),
      guard: transition.guard === undefined ? '' : nameOf(transition.guard, node),
      to: transition.target === undefined ? null : transition.target.map(pathOf).join(', '),
      reenters: transition.reenter,
      actions: transition.actions.map((action) => nameOf(action, node)),
    })),
  }
}

function pathOf({ path }: StateNode): string {
  return path.join('.')
}

function eventName(type: string, sources: ReadonlyMap<string, string>): string {
  if (type === '') return 'always'
  const [, kind, id = ''] = /^xstate\.(done|error)\.actor\.(.+)$/.exec(type) ?? []
  if (kind !== undefined) return `${kind}(${sources.get(id) ?? id})`
  if (type.startsWith('xstate.done.state.')) return 'done(state)'
  return type
}

/** The name of an action, guard or actor with its parameters: `takeVerdict(event.output)`. */
function nameOf(thing: unknown, node: StateNode): string {
  if (typeof thing === 'string') return thing
  if (typeof thing === 'object' && thing !== null && 'type' in thing && typeof thing.type === 'string') {
    const params = 'params' in thing ? thing.params : undefined
    return params === undefined ? thing.type : `${thing.type}(${parameterText(params)})`
  }
  throw new Error(`State "${node.id}" holds something that is not a name: move it into setup() and name it.`)
}

function parameterText(params: unknown): string {
  const text = typeof params === 'function' ? bodyOf(String(params)) : fieldsOf(JSON.stringify(params))
  return text
    .replaceAll('"', "'")
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/,? ([\])}])/g, '$1')
    .replaceAll(/([[({]) /g, '$1')
}

function bodyOf(source: string): string {
  const body = source.slice(source.indexOf('=>') + 2).trim()
  return /^\(\{[^]*\}\)$/.test(body) ? body.slice(2, -2).trim().replace(/,$/, '') : body
}

function fieldsOf(json: string): string {
  return json.startsWith('{')
    ? json
        .slice(1, -1)
        .replaceAll(/"(\w+)":/g, '$1: ')
        .replaceAll(',', ', ')
    : json
}
