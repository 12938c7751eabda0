import type { AnyStateMachine } from 'xstate'
import { defined, isRecord, type Json, type JsonObject, mapFields } from '../domain/text/json.ts'
import { checkMachine } from './check-given.ts'
import type { ChartMarks } from './chart.ts'
import { inlineName } from './read-chart.ts'

/**
 * Returns a machine's config as plain JSON for `createMachine` and for Stately's Studio. Names are kept. Functions
 * cannot be kept: params, inputs, outputs and a computed context are left out, and inline implementations are named
 * `inline`. `marks` adds the positions of each state to its `meta`.
 *
 * @example
 * const again = createMachine(JSON.parse(JSON.stringify(machineConfig(machine))))
 */
export function machineConfig(machine: Pick<AnyStateMachine, 'config'>, marks?: ChartMarks): JsonObject {
  if (!isRecord(machine) || !isRecord(machine.config))
    checkMachine(machine, { field: 'machine', owner: 'machineConfig' })
  return stateConfig(machine.config, '', marks)
}

function stateConfig(state: unknown, path: string, marks: ChartMarks | undefined): JsonObject {
  const { states, invoke, on, after, always, entry, exit, onDone, ...others } = fieldsOf(state)
  const places = marks?.places.get(path)
  const marked = { passed: [...(places ?? [])], isActive: marks?.active.has(path) === true }
  return {
    ...plainFields(others),
    ...eachIn({ entry, exit }, nameOf),
    ...eachIn({ invoke }, invocation),
    ...mapFields(defined({ on, after }), (given) => mapFields(fieldsOf(given), (one) => each(one, transition))),
    ...eachIn({ always, onDone }, transition),
    ...(places === undefined ? {} : { meta: { ...plainFields(fieldsOf(others['meta'])), ...marked } }),
    ...mapFields(defined({ states }), (given) =>
      mapFields(fieldsOf(given), (child, key) => stateConfig(child, path === '' ? key : `${path}.${key}`, marks)),
    ),
  }
}

function invocation(given: unknown): Json {
  const { src, onDone, onError, onSnapshot, ...others } = fieldsOf(given)
  return {
    src: typeof src === 'string' ? src : inlineName(src),
    ...plainFields(others),
    ...eachIn({ onDone, onError, onSnapshot }, transition),
  }
}

function transition(given: unknown): Json {
  if (typeof given === 'string') return given
  const { guard, actions, ...others } = fieldsOf(given)
  return { ...plainFields(others), ...eachIn({ guard, actions }, nameOf) }
}

function nameOf(given: unknown): Json {
  if (typeof given === 'string') return given
  const { type, params } =
    typeof given === 'function' ? { type: inlineName(given), params: undefined } : fieldsOf(given)
  return { type: String(type), ...plainFields({ params }) }
}

function eachIn(fields: Fields, copy: (one: unknown) => Json): JsonObject {
  return mapFields(defined(fields), (given) => each(given, copy))
}

function each(given: unknown, copy: (one: unknown) => Json): Json {
  return Array.isArray(given) ? given.map(copy) : copy(given)
}

function plainFields(fields: Fields): JsonObject {
  const plain = Object.entries(fields).flatMap(([key, value]): (readonly [string, Json])[] => {
    const text = isData(value) ? JSON.stringify(value) : undefined
    return text === undefined ? [] : [[key, JSON.parse(text)]]
  })
  return Object.fromEntries(plain)
}

function isData(value: unknown): boolean {
  return typeof value !== 'function' && typeof value !== 'bigint' && typeof value !== 'symbol'
}

interface Fields {
  readonly [key: string]: unknown
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
