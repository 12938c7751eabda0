import { parseSync, Visitor } from 'oxc-parser'

/** Returns the ids at the start of the titles in one test file, without skipped tests. */
export function readTitles(path: string, text: string): readonly string[] {
  const { program, errors } = parseSync(path, text, { sourceType: 'module' })
  const [error] = errors
  if (error !== undefined) throw new Error(`${path} cannot be parsed: ${error.message}`)
  const groups: Group[] = []
  const found: string[] = []
  new Visitor({
    CallExpression: (node) => {
      const block = blockOf(node)
      if (block === undefined) return
      const isSkipped = block.isSkipped || groups.some((group) => group.isSkipped)
      if (block.kind === 'describe') groups.push({ node, ids: block.ids, isSkipped })
      else if (!isSkipped) found.push(...block.ids, ...groups.flatMap(({ ids }) => ids))
    },
    'CallExpression:exit': (node) => {
      if (groups.at(-1)?.node === node) groups.pop()
    },
  }).visit(program)
  return found
}

/** Returns the requirement ids at the start of a title: `TC-03 TC-06 settles …` has two. */
export function leadingIds(title: string): readonly string[] {
  const [start = ''] = /^(?:[A-Z]+-\d\d(?:[\s,:]+|$))+/.exec(title) ?? []
  return start.match(/[A-Z]+-\d\d/g) ?? []
}

interface Group {
  readonly node: object
  readonly ids: readonly string[]
  readonly isSkipped: boolean
}

interface Call {
  readonly callee: { readonly type: string }
  readonly arguments: readonly { readonly type: string }[]
}

/** Returns the test block of a call: `test('…')`, `it.each(rows)('…')`, `describe.skip('…')`, or undefined. */
function blockOf(call: Call) {
  const words = calleeWords(call.callee)
  const kind = words[0]
  if (kind !== 'test' && kind !== 'it' && kind !== 'describe') return undefined
  const title = titleOf(call.arguments[0])
  if (title === undefined) return undefined
  return { kind, ids: leadingIds(title), isSkipped: words.some((word) => /^(skip|skipIf|todo|fails)$/.test(word)) }
}

type Node = { readonly type: string; readonly [key: string]: unknown }

function calleeWords(node: { readonly type: string }): readonly string[] {
  const { type, name, callee, tag, object, property } = node as Node
  if (type === 'Identifier') return [String(name)]
  if (type === 'CallExpression') return calleeWords(callee as Node)
  if (type === 'TaggedTemplateExpression') return calleeWords(tag as Node)
  if (type === 'MemberExpression') return [...calleeWords(object as Node), ...calleeWords(property as Node)]
  return ['']
}

function titleOf(node: { readonly type: string } | undefined): string | undefined {
  const { type, value, quasis } = (node ?? { type: '' }) as Node
  if (type === 'Literal' && typeof value === 'string') return value
  if (type !== 'TemplateLiteral') return undefined
  return (quasis as readonly { readonly value: { readonly cooked: string } }[])[0]?.value.cooked
}
