/** A node of the parser's tree, as far as it matters here. */
export interface TreeNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

export const operators = [
  'comparison',
  'logic',
  'condition',
  'call dropped',
  'assignment dropped',
  'default',
  'literal',
  'arithmetic',
  'method',
  'return',
] as const

export type Operator = (typeof operators)[number]

/** A stretch of a source to be replaced. */
export interface Change {
  readonly operator: Operator
  readonly start: number
  readonly end: number
  readonly by: string
}

/** The faults one node can have, its children's left out. */
export function changesOf(node: TreeNode, text: string): readonly Change[] {
  switch (node.type) {
    case 'BinaryExpression':
      return swapped(node, text)
    case 'LogicalExpression':
      return logicChanges(node, text)
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      return negated(child(node, 'test'), text)
    case 'ExpressionStatement':
      return dropped(node)
    case 'AssignmentPattern':
      return [replaced('default', node, of(text, child(node, 'left')))]
    case 'Literal':
      return literalChanges(node)
    case 'TemplateLiteral':
      return [replaced('literal', node, '``')]
    case 'CallExpression':
      return methodChanges(node, text)
    case 'ReturnStatement':
      return saysSomething(node['argument']) ? [replaced('return', node, 'return')] : []
    case 'ArrowFunctionExpression':
      return node['expression'] === true && saysSomething(node['body'])
        ? [replaced('return', child(node, 'body'), 'undefined')]
        : []
    default:
      return []
  }
}

/** The replacement of each operator between two values: its opposite, and its neighbour at the boundary. */
const others: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
}

function swapped(node: TreeNode, text: string): readonly Change[] {
  const sign = String(node['operator'])
  const operator = '+-*/%'.includes(sign) ? 'arithmetic' : 'comparison'
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  return (others[sign] ?? []).map((other) => {
    const between = text.slice(left.end, right.start)
    const at = left.end + between.indexOf(sign)
    return { operator, start: at, end: at + sign.length, by: other }
  })
}

/** A `??` before a number other than 0 differs from `||`; before anything else it hardly does. */
function logicChanges(node: TreeNode, text: string): readonly Change[] {
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  const sign = String(node['operator'])
  const whole = (by: string) => [replaced('logic', node, `(${of(text, left)} ${by} ${of(text, right)})`)]
  if (sign === '&&') return whole('||')
  if (sign === '||') return whole('&&')
  const isTold = right.type === 'Literal' && typeof right['value'] === 'number' && right['value'] !== 0
  return [replaced('default', node, `(${of(text, right)})`), ...(isTold ? whole('||') : [])]
}

/** A comparison or a junction has its own changes. */
function negated(test: TreeNode, text: string): readonly Change[] {
  if (test.type === 'BinaryExpression' && others[String(test['operator'])] !== undefined) return []
  const isNot = test.type === 'UnaryExpression' && test['operator'] === '!'
  return [replaced('condition', test, isNot ? `(${of(text, child(test, 'argument'))})` : `!(${of(text, test)})`)]
}

function dropped(node: TreeNode): readonly Change[] {
  const expression = bare(child(node, 'expression'))
  if (expression.type === 'CallExpression') return [replaced('call dropped', node, ';')]
  return expression.type === 'AssignmentExpression' ? [replaced('assignment dropped', node, ';')] : []
}

/** An expression without `await` and `void`. */
function bare(node: TreeNode): TreeNode {
  const isWrapped = node.type === 'AwaitExpression' || (node.type === 'UnaryExpression' && node['operator'] === 'void')
  return isWrapped ? bare(child(node, 'argument')) : node
}

function literalChanges(node: TreeNode): readonly Change[] {
  const value = node['value']
  const by = (texts: readonly string[]) => texts.map((text) => replaced('literal', node, text))
  if (typeof value === 'boolean') return by([String(!value)])
  if (typeof value === 'number') return by([String(value + 1), `(${value - 1})`])
  return typeof value === 'string' ? by([value === '' ? "'?'" : "''"]) : []
}

const otherMethods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}

function methodChanges(node: TreeNode, text: string): readonly Change[] {
  const callee = child(node, 'callee')
  if (callee.type !== 'MemberExpression' || callee['computed'] === true) return []
  const property = child(callee, 'property')
  const name = of(text, property)
  if (Object.hasOwn(otherMethods, name)) return [replaced('method', property, otherMethods[name] ?? name)]
  return name === 'filter' ? [replaced('method', node, of(text, child(callee, 'object')))] : []
}

/** A result other than `undefined`. */
function saysSomething(value: unknown): boolean {
  return isNode(value) && !(value.type === 'Identifier' && value['name'] === 'undefined')
}

function replaced(operator: Operator, { start, end }: TreeNode, by: string): Change {
  return { operator, start, end, by }
}

function of(text: string, { start, end }: TreeNode): string {
  return text.slice(start, end)
}

function child(node: TreeNode, field: string): TreeNode {
  const value = node[field]
  if (isNode(value)) return value
  throw new Error(`A ${node.type} has no ${field}.`)
}

/** Whether a field of a node holds a node. */
export function isNode(value: unknown): value is TreeNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}
