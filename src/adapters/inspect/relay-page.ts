/**
 * Returns the page of a relay, which has no framework and no external resources. It shows received data only as text.
 */
export function relayPage(nonce: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Inspector</title>
<style>${style}</style></head>
<body><nav aria-label="Actors"><h1>Actors</h1><p id="empty">No actors yet. Start a run of an agent whose <code>inspect</code> posts here.</p><ul id="actors"></ul></nav>
<main><h2 id="name">Chart</h2><p id="state" role="status"></p><div id="chart"></div></main>
<aside aria-label="Messages"><h2>Messages</h2><ol id="messages"></ol><h2>Snapshot</h2><pre id="snapshot"></pre></aside>
<script nonce="${nonce}">${script}</script></body></html>
`
}

const style = `
:root{color-scheme:light dark}body{margin:0;display:grid;grid-template-columns:minmax(14rem,22rem) 1fr minmax(16rem,24rem);height:100vh;font:14px system-ui,sans-serif}
nav,main,aside{overflow:auto;padding:.75rem;border-right:1px solid #8884}h1,h2{font-size:1rem;margin:.2rem 0 .6rem}
ul,ol{list-style:none;margin:0;padding:0}button{all:unset;display:block;box-sizing:border-box;width:100%;padding:.3rem .4rem;cursor:pointer;border-radius:4px;overflow-wrap:anywhere}
button:hover{background:#8883}button:focus-visible{outline:2px solid #2563eb}button[aria-current=true]{background:#2563eb;color:#fff}
small{display:block;opacity:.8}.over{opacity:.6}li{overflow-wrap:anywhere}#messages{max-height:45vh;overflow:auto;font:12px ui-monospace,monospace}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:12px ui-monospace,monospace}
#chart svg{max-width:100%;height:auto}.lit>.state{fill:#2563eb!important;fill-opacity:.35;stroke:#2563eb!important;stroke-width:3}
@media(max-width:60rem){body{display:block;height:auto}nav,main,aside{border-right:0;border-bottom:1px solid #8884}}`

const script = `
const given = /^#token=([\\w-]+)$/.exec(location.hash)?.[1]
if (given) { sessionStorage.setItem('statewright-relay', given); history.replaceState(null, '', '/') }
const ask = (path) => fetch(path, { headers: { authorization: 'Bearer ' + sessionStorage.getItem('statewright-relay') } })
const actors = new Map(), charts = new Map(), byId = (id) => document.getElementById(id)
let chosen, drawn
const pathsOf = (value, before = '') => typeof value === 'string' ? [before + value]
  : Object.entries(value ?? {}).flatMap(([key, inner]) => [before + key, ...pathsOf(inner, before + key + '.')])
const stateOf = ({ snapshot }) => pathsOf(snapshot?.value).at(-1) ?? snapshot?.status ?? ''
const chartOf = (name) => charts.get(name) ?? charts.set(name, ask('/chart?name=' + encodeURIComponent(name))
  .then((got) => got.ok ? got.text() : '')).get(name)
function row(actor) {
  if (!actor.item) {
    actor.item = document.createElement('li')
    actor.button = actor.item.appendChild(document.createElement('button'))
    actor.title = actor.button.appendChild(document.createElement('span'))
    actor.note = actor.button.appendChild(document.createElement('small'))
    actor.button.onclick = () => { chosen = actor.sessionId; drawn = undefined; for (const one of actors.values()) row(one); show() }
    byId('actors').append(actor.item)
  }
  actor.item.style.paddingLeft = actor.sessionId.split('/').length - 1 + 'rem'
  actor.title.textContent = actor.sessionId.split('/').at(-1)
  actor.note.textContent = actor.name + ' · ' + stateOf(actor)
  actor.button.setAttribute('aria-current', actor.sessionId === chosen)
  actor.item.className = actor.snapshot?.status === 'active' ? '' : 'over'
}
async function show() {
  const actor = actors.get(chosen)
  if (!actor) return
  byId('name').textContent = actor.sessionId
  byId('state').textContent = stateOf(actor)
  byId('snapshot').textContent = JSON.stringify(actor.snapshot, null, 2)
  const text = await chartOf(actor.name)
  if (actor.sessionId !== chosen) return
  if (drawn !== actor.name) {
    const parsed = new DOMParser().parseFromString(text || '<svg/>', 'image/svg+xml').documentElement
    byId('chart').replaceChildren(text && parsed.nodeName === 'svg' ? document.importNode(parsed, true) : 'No chart: this actor performs something.')
    drawn = actor.name
  }
  const lit = new Set(pathsOf(actor.snapshot?.value).map((path) => 'state-' + path))
  for (const box of byId('chart').querySelectorAll('rect.state')) box.parentNode.classList.toggle('lit', lit.has(box.id))
}
function note(message) {
  const item = document.createElement('li')
  item.textContent = message.sessionId.split('/').slice(-1) + ' ← ' + message.event.type
  byId('messages').prepend(item)
  while (byId('messages').childElementCount > 200) byId('messages').lastChild.remove()
}
function again() { actors.clear(); charts.clear(); drawn = undefined; byId('actors').replaceChildren(); byId('messages').replaceChildren() }
function take(message) {
  const { type, sessionId } = message
  byId('empty').hidden = true
  if (type === '@xstate.event') return note(message)
  const actor = actors.get(sessionId) ?? { sessionId }
  actors.set(sessionId, actor)
  if (type === '@xstate.actor') { actor.name = message.name; if (message.definition) charts.delete(message.name) }
  actor.name ??= sessionId.split('/').at(-1)
  actor.snapshot = message.snapshot
  chosen ??= sessionId
  row(actor)
  if (sessionId === chosen) show()
}
async function read() {
  const response = await ask('/messages')
  if (response.status === 401) return (byId('empty').textContent = 'Open the address that was printed: it ends in the token of this relay.')
  if (!response.ok) return wait()
  again()
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let pieces = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return wait()
    const end = value.lastIndexOf('\\n')
    if (end < 0) { pieces.push(value); continue }
    const text = pieces.join('') + value.slice(0, end)
    pieces = [value.slice(end + 1)]
    for (const line of text.split('\\n')) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)))
  }
}
const wait = () => setTimeout(() => read().catch(wait), 2000)
read().catch(wait)
addEventListener('hashchange', () => location.reload())`
