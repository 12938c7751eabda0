import { type ComponentChild, h } from 'preact'
import { useState } from 'preact/hooks'
import { button, onText } from './parts.ts'

/** The search in the list of runs. An empty text excludes nothing. */
export interface Wish {
  readonly text: string
  readonly subject: string
  readonly tool: string
  /** A day, as `2026-11-29`. */
  readonly until: string
  /** `1` for the runs of sub-agents, too. */
  readonly members: string
}

export const noWish: Wish = { text: '', subject: '', tool: '', until: '', members: '' }

const wishes = [
  { name: 'subject', text: 'Subject', type: 'text' },
  { name: 'tool', text: 'Called tool', type: 'text' },
  { name: 'until', text: 'Changed until', type: 'date' },
] as const

/** Searches the list of runs. */
export function SearchForm({ wish, setWish }: { readonly wish: Wish; setWish(wish: Wish): void }): ComponentChild {
  const [isOpen, setIsOpen] = useState(false)
  const set = (name: keyof Wish) => onText((text) => setWish({ ...wish, [name]: text }))
  const turnMembers = () => setWish({ ...wish, members: wish.members === '1' ? '' : '1' })
  return h('form', { class: 'search', role: 'search', onSubmit: (event: Event) => event.preventDefault() }, [
    h('input', {
      type: 'search',
      'aria-label': 'Search runs',
      placeholder: 'Search',
      value: wish.text,
      onInput: set('text'),
    }),
    button(isOpen ? 'Less' : 'More', () => setIsOpen(!isOpen), { class: 'quiet', 'aria-expanded': isOpen }),
    isOpen &&
      h('div', { class: 'wishes' }, [
        ...wishes.map(({ name, text, type }) =>
          h('label', { key: name }, [text, h('input', { type, value: wish[name], onChange: set(name) })]),
        ),
        h('label', { class: 'check' }, [
          h('input', { type: 'checkbox', checked: wish.members === '1', onChange: turnMembers }),
          ' Runs of sub-agents too',
        ]),
      ]),
  ])
}
