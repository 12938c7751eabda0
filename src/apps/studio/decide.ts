import { type ComponentChild, h } from 'preact'
import { useState } from 'preact/hooks'
import type { Decision, DecisionReceipt, Json, JsonObject } from '../../index.ts'
import { offeredScopes } from '../../core/domain/grant.ts'
import type { DecisionScope, SuspendedCall, ToolDefinition } from '../../ports.ts'
import type { AnswerPreview, CallPreview } from '../../testing/index.ts'
import type { FamilyMember } from '../../servers/studio/family.ts'
import { get, post, problemOf } from './client.ts'
import { approveText, reasonText, receiptText, scopeWords } from './decide-words.ts'
import { Preview } from './diff-view.ts'
import { agentName } from './family-tree.ts'
import { schemaOf } from './form-fields.ts'
import { lineText, timeText, valueText } from './format.ts'
import { alertOf, button, onText } from './parts.ts'
import { runAddress } from './route.ts'
import { SchemaForm } from './schema-form.ts'
import { shownText } from './shown-text.ts'
import { LongText } from './transcript.ts'

interface DecideProps {
  readonly runId: string
  readonly call: SuspendedCall
  /** The runs below a call that waits for its sub-agent that ask. */
  readonly asking: readonly FamilyMember[]
  /** True if an answer is stored that nobody has carried out. */
  readonly isAnswered: boolean
  /** The results of each answer, looked up ahead; empty if the agent is not here. */
  readonly leads: readonly AnswerPreview[]
  onDecided(): void
  onSaid(text: string): void
}

type Mode = 'ask' | 'deny' | 'edit' | 'answer'

/** Returns the run that a call waits for, or undefined if it waits for an answer. */
export function childOf({ suspension }: SuspendedCall): string | undefined {
  const { reason, parameters } = suspension ?? {}
  if (reason !== 'subAgent' || typeof parameters !== 'object' || parameters === null) return undefined
  const child = 'childRunId' in parameters ? parameters['childRunId'] : undefined
  return typeof child === 'string' ? child : undefined
}

/** A waiting call: its effect, and every way to answer it. */
export function DecideCard(props: DecideProps): ComponentChild {
  const { runId, call, asking, isAnswered, onDecided, onSaid } = props
  const [mode, setMode] = useState<Mode>('ask')
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<string>()
  const { callId, toolName, suspension } = call
  const send = async (decision: Omit<Decision, 'target'>) => {
    setIsBusy(true)
    setProblem(undefined)
    try {
      const target = suspension?.id ?? callId
      const path = `runs/${encodeURIComponent(runId)}/decisions`
      const { receipts, drive } = await post<Decided>(path, { decisions: [{ target, ...decision }] })
      const [receipt] = receipts
      if (receipt?.answer === 'refused') setProblem(receipt.message ?? 'The answer does not fit.')
      else {
        setMode('ask')
        onSaid(receiptText(receipt, drive, decision))
      }
    } catch (error) {
      setProblem(problemOf(error))
    }
    setIsBusy(false)
    onDecided()
  }
  const name = lineText(toolName, 60)
  const child = childOf(call)
  return h('section', { class: 'decide', 'aria-label': `${name} waits`, 'data-call': callId }, [
    h('h3', null, [h('span', { class: 'status is-waiting' }, reasonText(suspension?.reason)), ` ${name}`]),
    child !== undefined && h(Below, { child, asking }),
    suspension?.message !== undefined && child === undefined && h('p', null, shownText(suspension.message)),
    suspension?.rule !== undefined && h('p', { class: 'about' }, `The rule ${lineText(suspension.rule, 200)} asks`),
    suspension?.expiresAt !== undefined &&
      h('p', { class: 'about' }, `Cancelled if nobody answers before ${timeText(suspension.expiresAt)}`),
    suspension?.reason === 'interrupted' &&
      h(
        'p',
        { class: 'note' },
        'The process died while the tool may have been running. The tool may have done its work already.',
      ),
    suspension?.preview === undefined ? null : h(Preview, { preview: suspension.preview }),
    mode === 'ask' &&
      call.isHold !== true &&
      h('details', { open: suspension?.preview === undefined }, [
        h('summary', null, 'Arguments'),
        h(LongText, { text: valueText(call.arguments), isCode: true }),
      ]),
    alertOf(problem && shownText(problem)),
    isAnswered
      ? h('p', { class: 'note' }, 'Your answer is stored. A worker or "statewright resume" continues the run.')
      : h(Answers, { props, mode, isBusy, setMode, send: (decision) => void send(decision) }),
  ])
}

/** A call that waits for its sub-agent is answered at the sub-agent's question. */
function Below({ child, asking }: Pick<DecideProps, 'asking'> & { readonly child: string }): ComponentChild {
  if (asking.length === 0)
    return h('p', null, ['Its sub-agent works in ', h('a', { href: runAddress(child) }, 'a run of its own'), '.'])
  const members = asking.map(({ runId, agent, questions }) => {
    const text = questions === 1 ? 'Answer its question' : `Answer its ${questions} questions`
    return h('li', { key: runId }, [
      `${agentName(agent)} asks. `,
      h('a', { class: 'button', href: runAddress(runId) }, text),
    ])
  })
  return h('ul', { class: 'below' }, members)
}

interface Decided {
  readonly receipts: readonly DecisionReceipt[]
  readonly drive: string
}

interface AnswersProps {
  readonly props: DecideProps
  readonly mode: Mode
  readonly isBusy: boolean
  setMode(mode: Mode): void
  send(decision: Omit<Decision, 'target'>): void
}

function Answers({ props, mode, isBusy, setMode, send }: AnswersProps): ComponentChild {
  const { runId, call, leads } = props
  const { callId, suspension, resumeMode } = call
  const [edited, setEdited] = useState<readonly AnswerPreview[]>()
  const isOwn = childOf(call) === undefined
  const isHold = call.isHold === true
  const [reason, setReason] = useState('')
  const [scope, setScope] = useState<DecisionScope>('once')
  const reach = scope === 'once' ? {} : { scope }
  const [schema, setSchema] = useState<JsonObject>()
  const edit = async () => {
    // For an unknown tool the form follows the arguments.
    const path = `runs/${encodeURIComponent(runId)}/tools/${encodeURIComponent(call.toolName)}`
    const found = await get<ToolDefinition>(path).catch(() => undefined)
    setSchema(found?.parameters)
    setMode('edit')
  }
  const back = () => setMode('ask')
  const look = async (input: Json) => {
    const query = new URLSearchParams({ call: callId, input: JSON.stringify(input) })
    const path = `runs/${encodeURIComponent(runId)}/answers?${query}`
    const found = await get<Previews>(path).catch(() => undefined)
    setEdited(found?.calls.find((one) => one.callId === callId)?.answers)
  }
  const approve = () => send({ action: 'resume', ...reach })
  const isQuestion = suspension?.reason === 'input' || resumeMode !== 'replay'
  const shared = { id: `form-${callId}`, isBusy, onCancel: back }
  switch (mode) {
    case 'deny': {
      const deny = (event: Event) => {
        event.preventDefault()
        send({ action: 'cancel', ...(reason === '' ? {} : { reason }), ...reach })
      }
      const id = `deny-${callId}`
      return h('form', { onSubmit: deny, class: 'schema-form' }, [
        h('div', { class: 'field' }, [
          h('label', { for: id }, 'Why not? The model reads it.'),
          h('input', { id, type: 'text', value: reason, autoComplete: 'off', onInput: onText(setReason) }),
        ]),
        h(ScopeField, { call, scope, setScope }),
        h(Leads, { call, leads: leads.filter(({ action }) => action === 'deny') }),
        h('div', { class: 'acts' }, [
          h('button', { type: 'submit', class: 'danger', disabled: isBusy }, 'Deny'),
          button('Back', back),
        ]),
      ])
    }
    case 'edit':
      return [
        h(SchemaForm, {
          ...shared,
          schema: schema ?? schemaOf(call.arguments),
          value: call.arguments,
          submit: 'Run with these',
          onSubmit: (input) => send({ action: 'resume', mode: 'replay', input, ...reach }),
          onLook: leads.length > 0 ? (input) => void look(input) : undefined,
        }),
        h(Leads, { call, leads: (edited ?? leads).filter(({ action }) => action === 'edit') }),
      ]
    case 'answer': {
      const passes = resumeMode === 'pass-to-tool'
      const asked = suspension?.responseSchema ?? (passes ? schemaOf(call.arguments) : { type: 'string' })
      const answer = (result: Json) =>
        send({ action: 'resume', mode: passes ? 'pass-to-tool' : 'use-as-result', result })
      return h(SchemaForm, { ...shared, schema: asked, value: undefined, submit: 'Answer', onSubmit: answer })
    }
    case 'ask':
      return [
        h(Leads, { call, leads }),
        h('div', { class: 'acts' }, [
          isOwn && h(ScopeField, { call, scope, setScope }),
          isOwn && !isQuestion && button(approveText(call), approve, { class: 'primary', disabled: isBusy }),
          isOwn && !isHold && isQuestion && button('Answer', () => setMode('answer'), { class: 'primary' }),
          isOwn && !isHold && !isQuestion && button('Give a result', () => setMode('answer')),
          isOwn && !isHold && !isQuestion && button('Edit', () => void edit()),
          button(isHold ? 'End' : isOwn ? 'Deny' : 'Cancel the sub-agent', () => setMode('deny'), { class: 'danger' }),
        ]),
      ]
  }
}

/** Shows where answers lead, up to the next answer of the model. */
function Leads({ call, leads }: Pick<DecideProps, 'call' | 'leads'>): ComponentChild {
  const words = { approve: approveText(call), deny: call.isHold === true ? 'End' : 'Deny', edit: 'Edit' }
  return h(
    'dl',
    { class: 'facts', 'aria-label': 'What each answer leads to' },
    leads.map(({ action, text }) => [
      h('dt', null, action === 'respond' || action === 'pass' ? 'Answer' : words[action]),
      h('dd', null, text),
    ]),
  )
}

/** The consequences of each answer to a run's calls. */
export interface Previews {
  readonly calls: readonly CallPreview[]
}

interface ScopeProps {
  readonly call: SuspendedCall
  readonly scope: DecisionScope
  setScope(scope: DecisionScope): void
}

function ScopeField({ call, scope, setScope }: ScopeProps): ComponentChild {
  const scopes = offeredScopes(call)
  if (scopes.length < 2) return null
  const words = scopeWords(call)
  return h('label', { class: 'scope' }, [
    'For ',
    h(
      'select',
      {
        'aria-label': 'Scope of the answer',
        value: scope,
        onChange: ({ currentTarget }: Event) => {
          const chosen = scopes.find((one) => one === (currentTarget as HTMLSelectElement).value)
          if (chosen !== undefined) setScope(chosen)
        },
      },
      scopes.map((one) => h('option', { value: one }, words[one])),
    ),
  ])
}
