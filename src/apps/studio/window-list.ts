import { type ComponentChild, h } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** A list that renders only its visible items. */
interface WindowListProps<Item> {
  readonly items: readonly Item[]
  readonly label: string
  keyOf(item: Item): string | number
  draw(item: Item, index: number): ComponentChild
  /** The assumed height of an item in pixels until it was rendered. */
  readonly guess: number
  /** True to stay at the end while items are added. */
  readonly followsEnd?: boolean
  readonly class?: string
}

/** The number of items that are rendered above and below the visible ones. */
const beyond = 6

/** A scrolling list that renders only the visible items. Heights are measured when items become visible. */
export function WindowList<Item>(props: WindowListProps<Item>): ComponentChild {
  const { items, label, keyOf, draw, guess, followsEnd = false } = props
  const box = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLUListElement>(null)
  const heights = useRef(new Map<string | number, number>())
  const atEnd = useRef(followsEnd)
  const [place, setPlace] = useState({ top: 0, height: 800 })
  const heightOf = (item: Item) => heights.current.get(keyOf(item)) ?? guess
  const { first, last, before, after } = sliceOf(items, heightOf, place)

  const look = () => {
    const at = box.current
    if (at === null) return
    atEnd.current = followsEnd && at.scrollTop + at.clientHeight > at.scrollHeight - 24
    if (at.scrollTop !== place.top || at.clientHeight !== place.height)
      setPlace({ top: at.scrollTop, height: at.clientHeight })
  }
  useLayoutEffect(() => {
    let isOther = false
    for (const [index, child] of [...(inner.current?.children ?? [])].entries()) {
      const item = items[first + index]
      const height = child instanceof HTMLElement ? child.offsetHeight : 0
      if (item === undefined || height === 0 || heights.current.get(keyOf(item)) === height) continue
      heights.current.set(keyOf(item), height)
      isOther = true
    }
    const at = box.current
    if (at !== null && atEnd.current) at.scrollTop = at.scrollHeight
    if (isOther && at !== null) setPlace({ top: at.scrollTop, height: at.clientHeight })
  })

  return h(
    'div',
    {
      class: `window ${props.class ?? ''}`,
      ref: box,
      onScroll: look,
      tabIndex: 0,
      role: 'region',
      'aria-label': label,
    },
    h('div', { style: { height: `${before}px` } }),
    h(
      'ul',
      { ref: inner },
      items.slice(first, last).map((item, index) => h('li', { key: keyOf(item) }, draw(item, first + index))),
    ),
    h('div', { style: { height: `${after}px` } }),
  )
}

/** Returns the visible items, and the height of the others. */
function sliceOf<Item>(
  items: readonly Item[],
  heightOf: (item: Item) => number,
  { top, height }: { readonly top: number; readonly height: number },
) {
  let first = 0
  let before = 0
  while (first < items.length) {
    const next = before + heightOf(items[first] as Item)
    if (next >= top) break
    before = next
    first++
  }
  let last = first
  let end = before
  while (last < items.length && end < top + height) end += heightOf(items[last++] as Item)
  for (let step = 0; step < beyond && first > 0; step++) before -= heightOf(items[--first] as Item)
  last = Math.min(items.length, last + beyond)
  let after = 0
  for (let index = last; index < items.length; index++) after += heightOf(items[index] as Item)
  return { first, last, before, after }
}
