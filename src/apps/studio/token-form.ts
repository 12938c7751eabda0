import { type ComponentChild, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { alertOf, onText } from './parts.ts'
import { keepToken, knownToken, onToken, takeToken, wasRefused } from './client.ts'

/** The token, and again whenever it is kept or forgotten; undefined where there is none. */
export function useToken(): string | undefined {
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

/** Asks for the token: without one nothing of the store is shown. */
export function TokenForm(): ComponentChild {
  const [text, setText] = useState('')
  const keep = (event: Event) => {
    event.preventDefault()
    keepToken(text)
  }
  return h('div', { class: 'empty' }, [
    h('h1', null, 'This page needs its token'),
    h('p', null, 'Open the address that was printed when the studio started, or enter the token at its end.'),
    alertOf(wasRefused() ? 'The studio refused that token: each start has its own.' : undefined),
    h('form', { class: 'token', onSubmit: keep }, [
      h('input', {
        type: 'password',
        'aria-label': 'Token',
        autoComplete: 'off',
        value: text,
        autoFocus: true,
        onInput: onText(setText),
      }),
      h('button', { type: 'submit', class: 'primary' }, 'Open'),
    ]),
  ])
}
