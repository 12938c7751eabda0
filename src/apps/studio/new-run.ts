import { type ComponentChild, h } from 'preact'
import { useState } from 'preact/hooks'
import type { About } from './about.ts'
import { post } from './client.ts'
import { Composer } from './composer.ts'
import { onText } from './parts.ts'
import { chartAddress, runAddress } from './route.ts'

/** Starts a run, or a conversation, with one of the agents. */
export function NewRun({ agents }: Pick<About, 'agents'>): ComponentChild {
  const [chosen, setChosen] = useState('')
  const [isTalk, setIsTalk] = useState(true)
  const agent = agents.includes(chosen) ? chosen : (agents[0] ?? '')
  const start = async (prompt: unknown) => {
    const query = new URLSearchParams({ agent, ...(isTalk ? { session: '' } : {}) })
    const { runId } = await post<{ runId: string }>(`runs?${query}`, { prompt })
    location.hash = runAddress(runId)
  }
  return h('div', { class: 'empty welcome' }, [
    h('h1', null, agents.length === 0 ? 'Choose a run' : 'Talk to an agent'),
    agents.length === 0
      ? [
          h('p', null, 'The list shows the runs of your store. Runs that wait for you are marked.'),
          h('p', null, [
            'To start runs here, load your agents: ',
            h('code', null, 'statewright studio --agents <module>'),
          ]),
        ]
      : [
          h('div', { class: 'acts' }, [
            h('label', null, [
              'Agent ',
              h(
                'select',
                { value: agent, onChange: onText(setChosen) },
                agents.map((name) => h('option', { key: name, value: name, selected: name === agent }, name)),
              ),
            ]),
            h('label', { class: 'check' }, [
              h('input', { type: 'checkbox', checked: isTalk, onChange: () => setIsTalk(!isTalk) }),
              ' as a conversation',
            ]),
          ]),
          h(Composer, { key: agent, label: 'Your message', submit: 'Start', onSend: start }),
        ],
    h('p', null, ['Every run follows ', h('a', { href: chartAddress('run') }, 'the same charts'), '.']),
  ])
}
