import { type ComponentChild, h } from 'preact'

/** Marks inside a line; each is short, so that the time grows with the text alone. */
const inline =
  /(`[^`]{1,300}`|\*\*[^*]{1,300}\*\*|\*[^*\s][^*]{0,300}\*|\[[^[\]]{1,300}\]\(https?:\/\/[^\s()]{1,300}\))/

const lines = /^(?:(#{1,6}) |(?:[-*+]|(\d{1,9})[.)]) )(.*)$/

/** Returns a model's text as elements: headings, lists, code, emphasis and links. Everything else stays text. */
export function markdownOf(text: string): readonly ComponentChild[] {
  const found: ComponentChild[] = []
  let [list, isNumbered]: [ComponentChild[], boolean] = [[], false]
  let code: string[] | undefined
  const endList = () => {
    if (list.length > 0) found.push(h(isNumbered ? 'ol' : 'ul', null, list))
    list = []
  }
  for (const line of text.split('\n')) {
    if (/^\s*```[^`]*$/.test(line)) {
      endList()
      if (code !== undefined) found.push(h('pre', null, code.join('\n')))
      code = code === undefined ? [] : undefined
      continue
    }
    if (code !== undefined) {
      code.push(line)
      continue
    }
    const [, marks, number, rest = ''] = lines.exec(line.trimStart()) ?? []
    const isItem = rest !== '' && marks === undefined
    if (!isItem || isNumbered !== (number !== undefined)) endList()
    if (isItem) {
      isNumbered = number !== undefined
      list.push(h('li', isNumbered ? { value: Number(number) } : null, spansOf(rest)))
    } else if (marks !== undefined) found.push(h('b', { class: 'head' }, spansOf(rest)))
    else found.push(line.trim() === '' ? h('br', null) : h('div', null, spansOf(line)))
  }
  endList()
  if (code !== undefined) found.push(h('pre', null, code.join('\n')))
  return found
}

function spansOf(text: string): readonly ComponentChild[] {
  return text.split(inline).map((part, index) => {
    if (index % 2 === 0) return part
    if (part.startsWith('`')) return h('code', null, part.slice(1, -1))
    if (part.startsWith('**')) return h('b', null, part.slice(2, -2))
    if (part.startsWith('*')) return h('i', null, part.slice(1, -1))
    const [label = '', href = ''] = part.slice(1, -1).split('](')
    return h('a', { href, title: href, target: '_blank', rel: 'noreferrer' }, label)
  })
}
