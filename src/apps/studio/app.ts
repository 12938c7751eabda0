import { type ComponentChild, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ChartCoverage } from '../../servers/studio/cover-chart.ts'
import type { About } from './about.ts'
import { keepToken, knownToken, onToken, takeToken, wasRefused } from './client.ts'
import { alertOf, button, onText, useRead } from './parts.ts'
import { NewRun } from './new-run.ts'
import { Questions } from './questions.ts'
import { StorePage } from './store-page.ts'
import { RunList } from './run-list.ts'
import { RunPage } from './run-page.ts'
import { chartAddress, type Route, useRoute } from './route.ts'
import { ChartView } from './chart-view.ts'

/** The whole page: lists on one side, and the chosen item on the other. Without a token, the form that asks for it. */
export function App(): ComponentChild {
  const route = useRoute()
  const token = useToken()
  if (token !== undefined) return h(Studio, { key: token, route })
  return h('div', { class: 'app at-token' }, [
    h(TopBar, { route }),
    h('div', { class: 'body' }, h('main', { id: 'main', tabIndex: -1 }, h(TokenForm, {}))),
  ])
}

function Studio({ route }: { readonly route: Route }): ComponentChild {
  const { value: about, problem } = useRead<About>('studio', true)
  const runId = route.page === 'run' ? route.runId : undefined
  useEffect(() => {
    if (runId === undefined) document.title = 'statewright studio'
  }, [runId])
  return h('div', { class: `app at-${route.page}` }, [
    h(TopBar, { route }),
    h('div', { class: 'body' }, [
      h('nav', { class: 'side', 'aria-label': 'Runs' }, h(RunList, { chosen: runId })),
      h('main', { id: 'main', tabIndex: -1 }, [about === undefined && alertOf(problem), pageOf(route, about)]),
    ]),
  ])
}

function pageOf(route: Route, about: About | undefined): ComponentChild {
  switch (route.page) {
    case 'run':
      return h(RunPage, { key: route.runId, runId: route.runId, version: route.version, agents: about?.agents ?? [] })
    case 'charts':
      return h(ChartsPage, { about, chart: route.chart, inside: route.inside })
    case 'start':
    case 'new':
      return about && h(NewRun, { agents: about.agents })
    case 'waiting':
      return h(Questions, {})
    case 'store':
      return h(StorePage, {})
  }
}

const places = [
  { page: 'new', href: '#/new', text: 'New' },
  { page: 'waiting', href: '#/waiting', text: 'Questions' },
  { page: 'store', href: '#/store', text: 'Store' },
  { page: 'charts', href: chartAddress('run'), text: 'Charts' },
] as const

function TopBar({ route }: { readonly route: Route }): ComponentChild {
  return h('header', { class: 'top' }, [
    h('a', { class: 'skip', href: '#main', onClick: goToMain }, 'Skip to the run'),
    h('a', { class: 'word', href: '#/' }, [h('b', null, 'statewright'), ' studio']),
    ...places.map(({ page, href, text }) =>
      h('a', { key: page, class: 'link', href, 'aria-current': route.page === page ? 'page' : undefined }, text),
    ),
    button('◐', turnLight, { class: 'quiet', title: 'Light or dark' }),
  ])
}

function goToMain(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

/** The other of light and dark, for as long as the page is open. */
function turnLight(): void {
  const { style } = document.documentElement
  const isDark =
    style.colorScheme === '' ? matchMedia('(prefers-color-scheme: dark)').matches : style.colorScheme === 'dark'
  style.colorScheme = isDark ? 'light' : 'dark'
}

/** The token, and again whenever it is kept or forgotten; undefined if there is none. */
function useToken(): string | undefined {
  const [token, setToken] = useState(knownToken())
  useEffect(() => {
    const stop = onToken(() => setToken(knownToken()))
    // The address may bring another one while the page is open.
    const arrived = () => {
      takeToken()
      setToken(knownToken())
    }
    addEventListener('hashchange', arrived)
    return () => {
      stop()
      removeEventListener('hashchange', arrived)
    }
  }, [])
  return token
}

/** Asks for the token; without one, nothing of the store is shown. */
function TokenForm(): ComponentChild {
  const [text, setText] = useState('')
  const keep = (event: Event) => {
    event.preventDefault()
    keepToken(text)
  }
  const shared = { type: 'password', autoComplete: 'off', autoFocus: true } as const
  return h('div', { class: 'empty' }, [
    h('h1', null, 'This page needs its token'),
    h('p', null, 'Open the address that was printed when the studio started, or enter the token at its end.'),
    alertOf(wasRefused() ? 'The studio refused that token: each start has its own.' : undefined),
    h('form', { class: 'token', onSubmit: keep }, [
      h('input', { ...shared, 'aria-label': 'Token', value: text, onInput: onText(setText) }),
      h('button', { type: 'submit', class: 'primary' }, 'Open'),
    ]),
  ])
}

interface ChartsProps extends Pick<Extract<Route, { readonly page: 'charts' }>, 'chart' | 'inside'> {
  readonly about: Omit<About, 'agents'> | undefined
}

/** The charts by themselves: those of the engine, and those that the studio was given. */
function ChartsPage({ about, chart, inside }: ChartsProps): ComponentChild {
  const { charts, hasTested } = about ?? { charts: ['run'], hasTested: false }
  const [isCovered, setIsCovered] = useState(false)
  const path = `coverage/${encodeURIComponent(chart)}?inside=${encodeURIComponent(inside)}`
  const { value: cover, problem } = useRead<ChartCoverage>(isCovered ? path : undefined)
  const { counts: { all, walked, untested } = {}, runs } = cover ?? {}
  const amber = `Amber: taken but never tested, ${untested}; statewright coverage --out writes tests.`
  const tabs = charts.map((name) =>
    h('a', { key: name, href: chartAddress(name), 'aria-current': name === chart ? 'page' : undefined }, name),
  )
  return h('div', { class: 'charts-page' }, [
    h('nav', { class: 'tabs', 'aria-label': 'Charts' }, tabs),
    hasTested && button('Coverage', () => setIsCovered(!isCovered), { 'aria-pressed': isCovered }),
    isCovered && alertOf(problem),
    isCovered &&
      cover &&
      h('p', { class: 'legend' }, [
        `${runs} ${runs === 1 ? 'run' : 'runs'} took ${walked} of ${all} transitions. `,
        h('i', { class: 'never' }, 'Dashed: never taken. '),
        h('i', { class: 'untested' }, amber),
      ]),
    h(ChartView, {
      chart,
      inside,
      cover: isCovered ? cover : undefined,
      onInside: (to) => (location.hash = chartAddress(chart, to)),
    }),
  ])
}
