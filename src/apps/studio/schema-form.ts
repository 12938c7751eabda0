import { type ComponentChild, h } from 'preact'
import { useState } from 'preact/hooks'
import type { Json, JsonObject } from '../../index.ts'
import { button, onText as listenText } from './parts.ts'
import { type Draft, draftOf, fieldsOf, type FormField, nameOf, readForm } from './form-fields.ts'

interface SchemaFormProps {
  readonly id: string
  readonly schema: JsonObject
  readonly value: Json | undefined
  readonly submit: string
  readonly isBusy: boolean
  onSubmit(value: Json): void
  /** Previews the effect of a value; absent if there is no preview. */
  readonly onLook?: ((value: Json) => void) | undefined
  onCancel(): void
}

/** A form for a JSON Schema: a field for each value, with the field's problem beside it. */
export function SchemaForm(props: SchemaFormProps): ComponentChild {
  const { id, schema, value, submit, isBusy, onSubmit, onLook, onCancel } = props
  const fields = fieldsOf(schema)
  const [draft, setDraft] = useState<Draft>(() => draftOf(fields, value))
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const give = (take: (value: Json) => void) => {
    const read = readForm(fields, draft, value)
    setProblems(read.problems ?? {})
    if (read.problems === undefined) take(read.value)
    else document.getElementById(`${id}-${fields.findIndex((field) => nameOf(field) in read.problems)}`)?.focus()
  }
  const send = (event: Event) => {
    event.preventDefault()
    give(onSubmit)
  }
  return h('form', { class: 'schema-form', onSubmit: send, noValidate: true }, [
    ...fields.map((field, index) =>
      h(FieldView, {
        key: nameOf(field),
        id: `${id}-${index}`,
        field,
        text: draft[nameOf(field)] ?? '',
        problem: problems[nameOf(field)],
        onText: (text) => setDraft({ ...draft, [nameOf(field)]: text }),
      }),
    ),
    h('div', { class: 'acts' }, [
      h('button', { type: 'submit', class: 'primary', disabled: isBusy }, submit),
      onLook !== undefined && button('Look ahead', () => give(onLook)),
      button('Back', onCancel),
    ]),
  ])
}

interface FieldProps {
  readonly id: string
  readonly field: FormField
  readonly text: string
  readonly problem: string | undefined
  onText(text: string): void
}

function FieldView({ id, field, text, problem, onText }: FieldProps): ComponentChild {
  const { label, description, isRequired } = field
  const name = label === '' ? 'Value' : label
  return h('div', { class: 'field' }, [
    h('label', { for: id }, [name, !isRequired && h('span', { class: 'about' }, ' optional')]),
    description !== '' && h('p', { class: 'about', id: `${id}-about` }, description),
    h(Input, { id, field, text, problem, onText }),
    problem !== undefined && h('p', { class: 'trouble', id: `${id}-problem`, role: 'alert' }, problem),
  ])
}

function Input({ id, field, text, problem, onText }: FieldProps): ComponentChild {
  const { kind, choices } = field
  const shared = {
    id,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
    onInput: listenText(onText),
  }
  if (kind === 'choice' || kind === 'boolean') {
    const texts = kind === 'boolean' ? ['true', 'false'] : choices.map((choice) => JSON.stringify(choice))
    const options = ['', ...texts].map((one) =>
      h('option', { key: one, value: one, selected: one === text }, one.replace(/^"(.*)"$/, '$1')),
    )
    return h('select', { ...shared, value: text }, options)
  }
  if (kind === 'json' || text.length > 60 || text.includes('\n')) {
    const rows = Math.min(16, Math.max(3, text.split('\n').length))
    return h('textarea', { ...shared, rows, spellcheck: false, value: text })
  }
  const inputMode = kind === 'text' ? 'text' : 'decimal'
  return h('input', { ...shared, type: 'text', inputMode, autoComplete: 'off', value: text })
}
