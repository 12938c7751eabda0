import {
  type ArrayExpressionElement,
  type Expression,
  type ObjectProperty,
  type ObjectPropertyKind,
  parseSync,
  Visitor,
} from 'oxc-parser'

/** The latest line of a chart's first state, so that it is visible when the file is opened. */
const firstStateBy = 20

/**
 * Keys under which a chart may refer to a function elsewhere, because the function builds a value and no part of the
 * chart.
 */
const namedKeys: ReadonlySet<string> = new Set(['context', 'input', 'output'])

/** Keys under which a chart may have a function of one expression. */
const functionKeys: ReadonlySet<string> = new Set([...namedKeys, 'params'])

/** A part of a chart that is known only after running it. */
interface Fault {
  readonly what: string
  readonly start: number
}

/** Returns the reasons for which a chart's config is not one literal, line by line. */
export function judgeLiteral(path: string, text: string): readonly string[] {
  const { program, errors } = parseSync(path, text, { sourceType: 'module' })
  const [error] = errors
  if (error !== undefined) return [`${path} cannot be parsed: ${error.message}`]
  const configs: Expression[] = []
  const built: Fault[] = []
  new Visitor({
    SpreadElement: ({ start }) => void built.push({ what: 'is a spread', start }),
    CallExpression: ({ start, callee, arguments: [config] }) => {
      built.push({ what: 'is a call', start })
      const name = callee.type === 'MemberExpression' ? callee.property : callee
      if (name.type !== 'Identifier' || !/^create(Machine|StateConfig)$/.test(name.name)) return
      if (config !== undefined && config.type !== 'SpreadElement') configs.push(config)
    },
  }).visit(program)
  const [config] = configs
  if (config === undefined || configs.length > 1) return [`${path} holds ${configs.length} configs; expected one chart`]
  const lineOf = (start: number) => text.slice(0, start).split('\n').length
  const first = lineOf(firstState(config))
  return [
    ...faultsIn('', config, built).map(({ what, start }) => `${path}:${lineOf(start)} ${what}; write it out instead`),
    ...(first > firstStateBy ? [`${path}:${first} is its first state; expected by line ${firstStateBy}`] : []),
  ]
}

/** Returns the parts under a key of the chart that are not literals; `built` has every spread and call of the file. */
function faultsIn(key: string, node: Expression, built: readonly Fault[]): readonly Fault[] {
  const { start, end } = node
  if (node.type === 'Literal') return []
  if (node.type === 'ObjectExpression') return node.properties.flatMap((property) => propertyFaults(property, built))
  if (node.type === 'ArrayExpression') return node.elements.flatMap((element) => elementFaults(element, built))
  if (node.type === 'Identifier') return namedKeys.has(key) ? [] : [{ what: `only names "${node.name}"`, start }]
  if (node.type !== 'ArrowFunctionExpression') return [{ what: `is no literal (${node.type})`, start }]
  if (!functionKeys.has(key) || !node.expression) return [{ what: 'is a function of its own', start }]
  return built.filter((fault) => fault.start >= start && fault.start < end)
}

function elementFaults(element: ArrayExpressionElement, built: readonly Fault[]): readonly Fault[] {
  if (element === null) return []
  return element.type === 'SpreadElement' ? [spreadOf(element)] : faultsIn('', element, built)
}

function propertyFaults(property: ObjectPropertyKind, built: readonly Fault[]): readonly Fault[] {
  if (property.type === 'SpreadElement') return [spreadOf(property)]
  if (property.computed) return [{ what: 'is a computed key', start: property.start }]
  return faultsIn(keyOf(property), property.value, built)
}

function spreadOf({ start }: { readonly start: number }): Fault {
  return { what: 'is a spread', start }
}

function firstState(config: Expression): number {
  const states = propertiesOf(config).find((property) => keyOf(property) === 'states')
  return states === undefined ? 0 : (propertiesOf(states.value)[0]?.start ?? 0)
}

function propertiesOf(node: Expression): readonly ObjectProperty[] {
  return node.type === 'ObjectExpression' ? node.properties.filter((property) => property.type === 'Property') : []
}

function keyOf({ key }: ObjectProperty): string {
  return key.type === 'Identifier' ? key.name : ''
}
