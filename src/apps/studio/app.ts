import { type ComponentChild, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { About } from './about.ts'
import { ChartsPage } from './charts-page.ts'
import { get } from './client.ts'
import { button } from './parts.ts'
import { RunList } from './run-list.ts'
import { RunPage } from './run-page.ts'
import { chartAddress, type Route, useRoute } from './route.ts'
import { TokenForm, useToken } from './token-form.ts'

/** The whole page: what there is on one side, what was chosen on the other; without a token the form that asks for it. */
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
  const [about, setAbout] = useState<About>({ agents: [], charts: ['run'] })
  const runId = route.page === 'run' ? route.runId : undefined
  useEffect(() => void get<About>('studio').then(setAbout, () => undefined), [])
  useEffect(() => {
    document.title = runId === undefined ? 'statewright studio' : `${runId} · statewright studio`
  }, [runId])
  return h('div', { class: `app at-${route.page}` }, [
    h(TopBar, { route }),
    h('div', { class: 'body' }, [
      h('nav', { class: 'side', 'aria-label': 'Runs' }, h(RunList, { chosen: runId })),
      h('main', { id: 'main', tabIndex: -1 }, pageOf(route, about)),
    ]),
  ])
}

function pageOf(route: Route, about: About): ComponentChild {
  switch (route.page) {
    case 'run':
      return h(RunPage, { key: route.runId, runId: route.runId, version: route.version, about })
    case 'charts':
      return h(ChartsPage, { charts: about.charts, chart: route.chart, inside: route.inside })
    case 'start':
      return h('div', { class: 'empty welcome' }, [
        h('h1', null, 'Choose a run'),
        h('p', null, 'The runs of the store stand in the list. One that waits for you says so.'),
        h('p', null, ['Or look at ', h('a', { href: chartAddress('run') }, 'the charts'), ' that every run follows.']),
      ])
  }
}

function TopBar({ route }: { readonly route: Route }): ComponentChild {
  return h('header', { class: 'top' }, [
    h('a', { class: 'skip', href: '#main', onClick: goToMain }, 'Go to the run'),
    h('a', { class: 'word', href: '#/' }, [h('b', null, 'statewright'), ' studio']),
    h(
      'a',
      { class: 'link', href: chartAddress('run'), 'aria-current': route.page === 'charts' ? 'page' : undefined },
      'Charts',
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
