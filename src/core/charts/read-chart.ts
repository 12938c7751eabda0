import type { AnyStateMachine } from 'xstate'
import { checkMachine } from './check-given.ts'
import type { Chart, ChartState } from './chart.ts'

type StateNode = AnyStateMachine['root']

/** A function that names inline actions, guards and actors. */
export type NameInline = (thing: unknown, stateId: string) => string

/**
 * Reads the states and transitions of any XState machine. Inline implementations are named `inline`; actions of XState
 * have their own names, such as `assign`.
 */
export function readChart(machine: AnyStateMachine): Chart {
  checkMachine(machine, { field: 'machine', owner: 'readChart' })
  return readChartWith(machine, inlineName)
}

/** Returns the name of an inline implementation. */
export function inlineName(thing: unknown): string {
  const type = typeof thing === 'function' && 'type' in thing ? thing.type : undefined
  return typeof type === 'string' ? type.replace('xstate.', '') : 'inline'
}

/** Reads a machine with other names for inline implementations. */
export function readChartWith(machine: AnyStateMachine, nameInline: NameInline): Chart {
  const { id, description = '' } = machine.root
  return { name: id, description, states: readStates(machine.root, nameInline) }
}

function readStates(node: StateNode, nameInline: NameInline): readonly ChartState[] {
  return [readState(node, nameInline), ...Object.values(node.states).flatMap((child) => readStates(child, nameInline))]
}

function readState(node: StateNode, nameInline: NameInline): ChartState {
  const nameOf = (thing: unknown) => nameIn(thing) ?? nameInline(thing, node.id)
  const sources = new Map(node.invoke.map(({ id, src }) => [id, nameOf(src)]))
  const listed = [...node.transitions].flatMap(([, transitions]) => transitions)
  return {
    path: pathOf(node),
    kind: node.type,
    description: node.description ?? '',
    initial: node.type === 'compound' ? (node.initial.target ?? []).map(pathOf).join(', ') : null,
    entry: node.entry.map((action) => nameOf(action)),
    exit: node.exit.map((action) => nameOf(action)),
    invokes: node.invoke.map(({ id, src }) => (id === src ? id : `${nameOf(src)} as ${id}`)),
    arrows: [...listed, ...(node.always ?? [])].map((transition) => ({
      from: pathOf(node),
      event: eventName(transition.eventType, sources),
      guard: transition.guard === undefined ? '' : nameOf(transition.guard),
      to: transition.target === undefined ? null : transition.target.map(pathOf).join(', '),
      reenters: transition.reenter,
      actions: transition.actions.map((action) => nameOf(action)),
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
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(type) ?? []
  if (delay !== undefined) return `after(${delay})`
  return type
}

/** Returns an action's, guard's or actor's name with parameters: `takeVerdict(event.output)`; else undefined. */
function nameIn(thing: unknown): string | undefined {
  if (typeof thing === 'string') return thing
  if (typeof thing !== 'object' || thing === null || !('type' in thing) || typeof thing.type !== 'string')
    return undefined
  const params = 'params' in thing ? thing.params : undefined
  return params === undefined ? thing.type : `${thing.type}(${parameterText(params)})`
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
