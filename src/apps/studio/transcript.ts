import { type ComponentChild, h } from 'preact'
import { useState } from 'preact/hooks'
import type { TranscriptMessage } from '../../ports.ts'
import { costText, countText, lineText, timeText, valueText } from './format.ts'
import { markdownOf } from './markdown.ts'
import { button } from './parts.ts'
import type { ShownRun } from './run-model.ts'
import { mostShown, shownText } from './shown-text.ts'
import { WindowList } from './window-list.ts'

type Item =
  | TranscriptMessage
  | { readonly role: 'underWay'; readonly place: number; readonly answer: NonNullable<ShownRun['underWay']> }

/** The messages, calls and results in order; only the visible part of a long transcript. */
export function Transcript({ run }: { readonly run: ShownRun }): ComponentChild {
  const { messages, underWay } = run
  const last = messages.at(-1)?.place ?? 0
  const items: readonly Item[] =
    underWay === undefined ? messages : [...messages, { role: 'underWay', place: last + 0.5, answer: underWay }]
  if (items.length === 0) return h('div', { class: 'empty' }, 'There are no messages yet.')
  return h(WindowList<Item>, {
    items,
    label: 'Transcript',
    keyOf: ({ place }) => place,
    guess: 110,
    followsEnd: true,
    class: 'transcript',
    draw: (item) => h(MessageView, { item }),
  })
}

function MessageView({ item }: { readonly item: Item }): ComponentChild {
  switch (item.role) {
    case 'user':
      return article('user', 'user', item.timestamp, blocksOf(item.content))
    case 'assistant': {
      const { model, usage, cost, stopReason, errorMessage } = item
      const about = [
        model,
        `${countText(usage.input)} in`,
        `${countText(usage.output)} out`,
        ...(cost === undefined ? [] : [costText(cost)]),
        ...(stopReason === 'stop' || stopReason === 'toolUse' ? [] : [stopReason]),
      ]
      const trouble = errorMessage !== undefined && h('p', { class: 'trouble' }, shownText(errorMessage))
      const inside = [...blocksOf(item.content, true), trouble]
      return article('assistant', 'model', item.timestamp, inside, about.filter((one) => one !== '').join(' · '))
    }
    case 'toolResult': {
      const kind = `result ${item.isError ? 'is-error' : ''}`
      return article(kind, `result of ${lineText(item.toolName, 60)}`, item.timestamp, blocksOf(item.content))
    }
    case 'extension':
      return article('extension', lineText(item.kind, 60), item.timestamp, [
        h(LongText, { text: valueText(item.data) }),
      ])
    case 'underWay': {
      const { text, thinking, toolCalls } = item.answer
      return article('assistant under-way', 'model, writing', undefined, [
        thinking !== '' && h('p', { class: 'thinking' }, shownText(thinking.slice(-2_000))),
        text !== '' && h(LongText, { text, isMarkdown: true }),
        ...toolCalls.map((call) =>
          h('div', { class: 'call', key: call.id }, [
            h('b', null, lineText(call.name, 60)),
            h(LongText, { text: call.arguments }),
          ]),
        ),
      ])
    }
  }
}

function article(
  kind: string,
  who: string,
  at: number | undefined,
  inside: readonly ComponentChild[],
  about = '',
): ComponentChild {
  return h('article', { class: `message ${kind}` }, [
    h('header', null, [
      h('b', null, who),
      about !== '' && h('span', { class: 'about' }, lineText(about, 200)),
      at !== undefined && at > 0 && h('time', { dateTime: new Date(at).toISOString() }, timeText(at)),
    ]),
    ...inside,
  ])
}

type Block = Extract<TranscriptMessage, { readonly content: unknown }>['content'][number]

function blocksOf(blocks: readonly Block[], isMarkdown = false): readonly ComponentChild[] {
  return blocks.map((block, index) => blockOf(block, index, isMarkdown))
}

function blockOf(block: Block, index: number, isMarkdown: boolean): ComponentChild {
  switch (block.type) {
    case 'text':
      return h(LongText, { key: index, text: block.text, isMarkdown })
    case 'thinking':
      return h('details', { key: index, class: 'thinking' }, [
        h('summary', null, 'Thinking'),
        h(LongText, { text: block.thinking }),
      ])
    case 'toolCall':
      return h('div', { key: index, class: 'call' }, [
        h('b', null, lineText(block.name, 80)),
        h(LongText, { text: valueText(block.arguments), isCode: true }),
      ])
    case 'image':
      return h('p', { key: index, class: 'note' }, 'An image, which is not shown here.')
    case 'file':
      return h('p', { key: index, class: 'note' }, 'A file, which is not shown here.')
  }
}

interface LongTextProps {
  readonly text: string
  readonly isCode?: boolean
  readonly isMarkdown?: boolean
}

/** A text; only its beginning if it is long, until somebody asks for more. */
export function LongText({ text, isCode = false, isMarkdown = false }: LongTextProps): ComponentChild {
  const [most, setMost] = useState(mostShown)
  const rest = text.length - most
  const shown = shownText(text.slice(0, most))
  return h('div', { class: isCode ? 'text code' : isMarkdown ? 'markdown' : 'text' }, [
    isMarkdown ? markdownOf(shown) : shown,
    rest > 0 && button(`… ${countText(rest)} letters more`, () => setMost(most * 4), { class: 'quiet' }),
  ])
}
