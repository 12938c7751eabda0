import { parseSync, Visitor } from 'oxc-parser'
import type { CoveredFile, EnteredFunction } from './coverage.ts'
import { paint } from './executed-lines.ts'

/** Names of functions that make, read or freeze a copy. */
const natives = ['structuredClone', 'JSON.stringify', 'JSON.parse', 'Object.freeze', 'v8.serialize', 'v8.deserialize']

/**
 * The entered functions of a file that copy, freeze or serialise JSON: those in which a call of one of `natives` was
 * executed; those that call one another in a circle with such a one, as a walk over a value does; and those that only a
 * walk calls. Who hands a value to another file's walk is not counted: the walk is.
 */
export function copyingFunctions(text: string, { path, entered, ranges }: CoveredFile): readonly EnteredFunction[] {
  const isExecuted = paint(text.length, ranges)
  const all = readFunctions(path, text)
  const calledBy = (one: WrittenFunction) => all.filter((other) => one.calls.some(({ name }) => name === other.name))
  const seeds = all.filter(({ calls }) => calls.some((call) => isNative(call) && isExecuted[call.at] === 1))
  const walks = new Set(seeds.flatMap((seed) => circleOf(seed, calledBy)))
  for (let before = -1; before < walks.size;) {
    before = walks.size
    for (const one of all) if (!one.isExported && servesOnly(one, walks, all)) walks.add(one)
  }
  const copying = new Set([...seeds, ...walks].map(({ name, end }) => `${name} ${end}`))
  return entered.filter(({ name, end }) => copying.has(`${name.replace(/^(?:get|set) /, '')} ${end}`))
}

interface WrittenCall {
  /** The name as written: `JSON.parse`; for a method only its name. */
  readonly name: string
  readonly at: number
}

interface WrittenFunction {
  readonly name: string
  readonly start: number
  readonly end: number
  readonly isExported: boolean
  readonly calls: WrittenCall[]
}

type Calls = (one: WrittenFunction) => readonly WrittenFunction[]

function isNative({ name }: WrittenCall): boolean {
  return natives.includes(name)
}

/** Functions that a function comes back to itself through, itself among them. */
function circleOf(seed: WrittenFunction, calledBy: Calls): readonly WrittenFunction[] {
  return [...reachable(seed, calledBy)].filter((one) => reachable(one, calledBy).has(seed))
}

function reachable(one: WrittenFunction, calledBy: Calls): ReadonlySet<WrittenFunction> {
  const found = new Set<WrittenFunction>()
  const open = [...calledBy(one)]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue
    found.add(next)
    open.push(...calledBy(next))
  }
  return found
}

function servesOnly(
  { name }: WrittenFunction,
  walks: ReadonlySet<WrittenFunction>,
  all: readonly WrittenFunction[],
): boolean {
  const callers = all.filter(({ calls }) => calls.some((call) => call.name === name))
  return callers.length > 0 && callers.every((caller) => walks.has(caller))
}

/** Functions with a name, and what each calls itself. */
function readFunctions(path: string, text: string): readonly WrittenFunction[] {
  const { program } = parseSync(path, text)
  const found: WrittenFunction[] = []
  const calls: WrittenCall[] = []
  const exported: number[] = []
  const add = (name: string, node: { readonly start: number; readonly end: number }) =>
    found.push({ name, start: node.start, end: node.end, isExported: exported.includes(node.start), calls: [] })
  new Visitor({
    ExportNamedDeclaration: ({ declaration }) => {
      if (declaration?.type === 'FunctionDeclaration') exported.push(declaration.start)
    },
    FunctionDeclaration: (node) => void (node.id === null ? undefined : add(node.id.name, node)),
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== 'Identifier') return
      if (init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression') add(id.name, init)
    },
    MethodDefinition: ({ key, value }) => void add(keyName(key), value),
    CallExpression: ({ callee, start }) => {
      if (callee.type === 'Identifier') calls.push({ name: callee.name, at: start })
      if (callee.type !== 'MemberExpression') return
      const { object, property } = callee
      const name = keyName(property)
      const whole = object.type === 'Identifier' ? `${object.name}.${name}` : name
      calls.push({ name: natives.includes(whole) ? whole : name, at: start })
    },
  }).visit(program)
  for (const call of calls) innermost(found, call.at)?.calls.push(call)
  return found
}

function keyName(key: { readonly type: string; readonly name?: unknown }): string {
  const name = typeof key.name === 'string' ? key.name : '?'
  return key.type === 'PrivateIdentifier' ? `#${name}` : name
}

function innermost(functions: readonly WrittenFunction[], at: number): WrittenFunction | undefined {
  const around = functions.filter(({ start, end }) => start <= at && at < end)
  return around.reduce<WrittenFunction | undefined>(
    (inner, one) => (inner === undefined || one.start >= inner.start ? one : inner),
    undefined,
  )
}
