import { type ComponentChild, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ListedPage } from '../../servers/studio/list-runs.ts'
import { get, problemOf } from './client.ts'
import { agoText, lineText } from './format.ts'
import { alertOf, button, StatusMark, useRead } from './parts.ts'
import { noWish, SearchForm, type Wish } from './search-form.ts'
import { runAddress } from './route.ts'
import { WindowList } from './window-list.ts'

type Listed = ListedPage['runs'][number]

const filters = [
  { status: '', text: 'All' },
  { status: 'waiting', text: 'Waiting' },
  { status: 'running', text: 'Running' },
  { status: 'done', text: 'Done' },
] as const

/** The runs of the store, by status and session, the newest first. */
export function RunList({ chosen }: { readonly chosen: string | undefined }): ComponentChild {
  const [status, setStatus] = useState('')
  const [session, setSession] = useState('')
  const [wish, setWish] = useState<Wish>(noWish)
  const [older, setOlder] = useState<readonly Listed[]>([])
  const [trouble, setTrouble] = useState<string>()
  const asked = Object.entries({ status, session, ...wish, until: endOf(wish.until) }).filter(([, text]) => text !== '')
  const query = new URLSearchParams(asked).toString()
  const { value: page, problem } = useRead<ListedPage>(`runs?${query}`, true)
  useEffect(() => setOlder([]), [query])
  const newest = page?.runs ?? []
  const ids = new Set(newest.map(({ id }) => id))
  const runs = [...newest, ...older.filter(({ id }) => !ids.has(id))]
  const [next, setNext] = useState<string>()
  const cursor = older.length === 0 ? page?.next : next
  const more = async () => {
    try {
      const read = await get<ListedPage>(`runs?${query}&before=${encodeURIComponent(cursor ?? '')}`)
      setOlder([...older, ...read.runs])
      setNext(read.next)
      setTrouble(undefined)
    } catch (error) {
      setTrouble(problemOf(error))
    }
  }
  return h('div', { class: 'runs' }, [
    h('div', { class: 'filters', role: 'group', 'aria-label': 'Status' }, [
      ...filters.map((filter) =>
        button(filter.text, () => setStatus(filter.status), { 'aria-pressed': status === filter.status }),
      ),
    ]),
    h(SearchForm, { wish, setWish }),
    session !== '' &&
      h('p', { class: 'filter-session' }, [
        `Session ${lineText(session, 40)} `,
        button('show all', () => setSession(''), { class: 'quiet' }),
      ]),
    alertOf(problem),
    page !== undefined && runs.length === 0
      ? h('div', { class: 'empty' }, [
          h('p', null, asked.length === 0 ? 'The store has no run yet.' : 'No run matches.'),
          asked.length === 0 &&
            h('p', null, 'Start one with an agent on this store, or with: statewright run "<prompt>"'),
        ])
      : h(WindowList<Listed>, {
          items: runs,
          label: 'Runs',
          keyOf: ({ id }) => id,
          guess: 68,
          draw: (run) => h(RunRow, { run, isChosen: run.id === chosen, onSession: setSession }),
        }),
    alertOf(trouble),
    cursor !== undefined && button('Older runs', () => void more(), { class: 'more' }),
  ])
}

/** Returns the moment at which a day ends here, as text; empty for no day. */
function endOf(day: string): string {
  const end = new Date(`${day}T24:00`)
  return Number.isNaN(end.getTime()) ? '' : end.toISOString()
}

interface RowProps {
  readonly run: Listed
  readonly isChosen: boolean
  onSession(session: string): void
}

function RunRow({ run, isChosen, onSession }: RowProps): ComponentChild {
  const link = useRef<HTMLAnchorElement>(null)
  const current = isChosen ? 'page' : undefined
  if ('damaged' in run) {
    return h('a', { class: 'run damaged', href: runAddress(run.id), 'aria-current': current }, [
      h('span', { class: 'prompt' }, lineText(run.id, 60)),
      h('span', { class: 'about' }, [h(StatusMark, { status: 'damaged' }), ` ${lineText(run.damaged, 120)}`]),
    ])
  }
  const { id, agent, prompt = '', updatedAt, session } = run
  return h('div', { class: 'row' }, [
    h('a', { class: 'run', ref: link, href: runAddress(id), 'aria-current': current, onKeyDown: stepRows }, [
      h('span', { class: 'prompt' }, prompt === '' ? lineText(id, 60) : lineText(prompt, 120)),
      h('span', { class: 'about' }, [
        h(StatusMark, { status: statusOf(run) }),
        h('span', { class: 'agent' }, lineText(agent, 30)),
        h(
          'time',
          { dateTime: new Date(updatedAt).toISOString(), title: new Date(updatedAt).toLocaleString() },
          agoText(updatedAt, Date.now()),
        ),
      ]),
    ]),
    session !== undefined &&
      button('⋯', () => onSession(session), { class: 'quiet session', title: `Only session ${session}` }),
  ])
}

function statusOf(run: Exclude<Listed, { readonly damaged: string }>): string {
  if (run.isStopped) return 'stopped'
  if (run.status !== 'done') return run.status
  return run.doneReason === 'error' ? 'failed' : run.doneReason === 'cancelled' ? 'cancelled' : 'done'
}

/** Moves between runs with the arrow keys. */
function stepRows(event: KeyboardEvent): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a.run')]
  const next = links[links.indexOf(event.currentTarget as HTMLAnchorElement) + step]
  event.preventDefault()
  next?.focus()
}
