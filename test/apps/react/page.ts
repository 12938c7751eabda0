import { createElement as h, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { useRun, useSuspended } from '../../../src/apps/react/index.ts'

const server = { url: '/api' }

function RunPage({ runId }: { readonly runId: string }) {
  const { view, error, approve, deny } = useRun(runId, server)
  const said = view.messages.map(({ place, ...message }) => {
    const blocks = message.role === 'extension' ? [] : message.content
    return h('p', { key: place }, ...blocks.map((block) => (block.type === 'text' ? block.text : '')))
  })
  const questions = view.suspended.map(({ callId, toolName, arguments: given }) =>
    h(
      'li',
      { key: callId },
      `${toolName} ${JSON.stringify(given)} `,
      h('button', { onClick: () => void approve(callId) }, 'Approve'),
      h('button', { onClick: () => void deny(callId, 'No.') }, 'Deny'),
    ),
  )
  const written = view.underWay?.text ?? ''
  return h(
    'main',
    { 'data-status': view.status },
    ...said,
    h('em', {}, written),
    h('ul', {}, ...questions),
    error?.message,
  )
}

function Inbox() {
  const { runs } = useSuspended({ ...server, everyMs: 200 })
  const [runId, open] = useState(location.hash.slice(1))
  if (runId !== '') return h(RunPage, { runId })
  return h(
    'nav',
    {},
    ...runs.map(({ record }) => h('button', { key: record.id, onClick: () => open(record.id) }, record.prompt)),
  )
}

createRoot(document.body.appendChild(document.createElement('div'))).render(h(Inbox))
