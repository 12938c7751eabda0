import { type ComponentChild, h } from 'preact'
import { useState } from 'preact/hooks'
import type { Decision, DecisionReceipt } from '../../index.ts'
import type { AskingRun, ListedQuestions } from '../../servers/studio/list-questions.ts'
import { post, problemOf } from './client.ts'
import { agentName } from './family-tree.ts'
import { agoText, countText, lineText } from './format.ts'
import { alertOf, button, useRead } from './parts.ts'
import { runAddress } from './route.ts'

/** Every call of the store that waits for an answer. Calls that need a yes or no are answered together. */
export function Questions(): ComponentChild {
  const { value, problem } = useRead<ListedQuestions>('suspended', true)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [said, setSaid] = useState('')
  const [isBusy, setIsBusy] = useState(false)
  const runs = value?.runs ?? []
  const keys = runs.flatMap(({ record, calls }) => calls.filter(isYesOrNo).map((call) => keyOf(record.id, call)))
  const picked = keys.filter((key) => chosen.has(key))
  const toggle = (key: string) =>
    setChosen(new Set(chosen.has(key) ? picked.filter((one) => one !== key) : [...picked, key]))
  const answer = async (action: Decision['action']) => {
    setIsBusy(true)
    const counts = { done: 0, late: 0 }
    const problems: string[] = []
    for (const { record, calls } of runs) {
      const wanted = calls.filter((call) => picked.includes(keyOf(record.id, call)))
      if (wanted.length === 0) continue
      const decisions = wanted.map((call) => ({ target: call.suspension?.id ?? call.callId, action }))
      try {
        const path = `runs/${encodeURIComponent(record.id)}/decisions`
        const { receipts } = await post<{ readonly receipts: readonly DecisionReceipt[] }>(path, { decisions })
        for (const receipt of receipts) {
          if (receipt.answer === 'applied' || receipt.answer === 'kept') counts.done++
          else if (receipt.message === undefined) counts.late++
          else problems.push(receipt.message)
        }
      } catch (error) {
        problems.push(problemOf(error))
      }
    }
    const what = action === 'resume' ? 'approved' : 'denied'
    const late = counts.late === 0 ? '' : ` ${countText(counts.late)} no longer waited.`
    setSaid([`${countText(counts.done)} ${what}.${late}`, ...new Set(problems)].join(' '))
    setChosen(new Set())
    setIsBusy(false)
  }
  const areAll = picked.length === keys.length
  const disabled = isBusy || picked.length === 0
  const rows = runs.flatMap(({ record, calls }) =>
    calls.map((call) => {
      const key = keyOf(record.id, call)
      const { toolName } = call
      return h('li', { key }, [
        h('input', {
          type: 'checkbox',
          'aria-label': `Choose ${toolName} of ${record.prompt ?? record.id}`,
          disabled: !isYesOrNo(call),
          checked: picked.includes(key),
          onChange: () => toggle(key),
        }),
        h('a', { href: runAddress(record.id) }, [
          h('b', null, lineText(toolName, 60)),
          h('code', null, lineText(textOf(call), mostShown)),
          h('span', { class: 'about' }, [
            `${agentName(record.agent)} · ${lineText(record.prompt ?? record.id, 80)} · ${agoText(record.updatedAt, Date.now())}`,
            isYesOrNo(call) ? '' : ` · ${isLong(call) ? 'longer than shown' : 'needs an answer of its own'}`,
          ]),
        ]),
      ])
    }),
  )
  return h('div', { class: 'plain-page' }, [
    h('h1', null, 'Questions'),
    alertOf(problem),
    h('p', { class: 'said', role: 'status' }, said),
    value !== undefined && runs.length === 0 && h('p', { class: 'note' }, 'No run waits for an answer.'),
    value?.hasMore === true && h('p', { class: 'note' }, 'Older runs wait too. They appear once these are answered.'),
    keys.length > 0 &&
      h('div', { class: 'acts' }, [
        button(areAll ? 'Choose none' : 'Choose all', () => setChosen(new Set(areAll ? [] : keys))),
        button(`Approve ${picked.length}`, () => void answer('resume'), { class: 'primary', disabled }),
        button(`Deny ${picked.length}`, () => void answer('cancel'), { class: 'danger', disabled }),
      ]),
    h('ul', { class: 'questions' }, rows),
  ])
}

type Asking = AskingRun['calls'][number]

function keyOf(runId: string, { callId, suspension }: Asking): string {
  return `${runId} ${suspension?.id ?? callId}`
}

/** Letters of a question that are shown. */
const mostShown = 400

function textOf({ suspension, arguments: given }: Asking): string {
  return [suspension?.message, JSON.stringify(given)].filter(Boolean).join(' · ')
}

function isLong(call: Asking): boolean {
  return textOf(call).length > mostShown
}

/** An approval that is shown whole needs a yes or a no; any other call is answered where all of it is shown. */
function isYesOrNo(call: Asking): boolean {
  return call.suspension?.reason === 'approval' && call.resumeMode === 'replay' && !isLong(call)
}
