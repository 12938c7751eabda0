import { type ComponentChild, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DrawnChart } from '../../servers/studio/drawn-chart.ts'
import { get } from './client.ts'
import { lineText } from './format.ts'
import { runAddress } from './route.ts'
import type { ShownCall } from './run-model.ts'
import { WindowList } from './window-list.ts'

/** A small chart for each tool call: its states in a row, with the active one highlighted. */
export function CallStrip({ calls }: { readonly calls: readonly ShownCall[] }): ComponentChild {
  const [chart, setChart] = useState<DrawnChart>()
  useEffect(() => void get<DrawnChart>('charts/tool-call').then(setChart, () => undefined), [])
  if (calls.length === 0) return h('p', { class: 'note' }, 'No tool was called yet.')
  const names = chart === undefined ? [] : chart.states.filter(({ isOuter }) => !isOuter)
  return h(WindowList<ShownCall>, {
    items: calls,
    label: 'Tool calls',
    keyOf: ({ callId }) => callId,
    guess: 58,
    class: 'calls',
    followsEnd: true,
    draw: ({ callId, toolName, status, progress, childRunId }) => {
      return h('div', { class: 'one-call' }, [
        h('div', { class: 'about' }, [
          h('b', null, lineText(toolName, 60)),
          h('span', { class: 'id' }, lineText(callId, 40)),
          progress !== undefined && h('span', null, lineText(progress, 80)),
          childRunId !== undefined && h('a', { href: runAddress(childRunId) }, 'its run'),
        ]),
        h(
          'div',
          { class: 'mini', role: 'img', 'aria-label': `${toolName}: ${status}` },
          names.map(({ path, name, kind }) =>
            h('span', { key: path, class: `pill ${kind} at-${path} ${path === status ? 'active' : ''}` }, name),
          ),
        ),
      ])
    },
  })
}
