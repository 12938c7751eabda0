import { type ComponentChild, h } from 'preact'
import { useState } from 'preact/hooks'
import type { Prompt } from '../../ports.ts'
import { problemOf } from './client.ts'
import { lineText } from './format.ts'
import { alertOf, button, onText } from './parts.ts'

/** The bytes of files that fit into one message. */
const mostBytes = 35_000_000

interface ComposerProps {
  readonly label: string
  readonly submit: string
  /** Sends the message; rejects with the studio's error. */
  onSend(prompt: Prompt): Promise<void>
}

/** A field for a message to an agent, with files. */
export function Composer({ label, submit, onSend }: ComposerProps): ComponentChild {
  const [text, setText] = useState('')
  const [files, setFiles] = useState<readonly File[]>([])
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const send = async () => {
    if (isBusy || (text.trim() === '' && files.length === 0)) return
    setIsBusy(true)
    setProblem(undefined)
    try {
      const content = [...textOf(text), ...(await Promise.all(files.map(blockOf)))]
      await onSend(files.length === 0 ? text : { role: 'user', content })
      setText('')
      setFiles([])
    } catch (error) {
      setProblem(problemOf(error))
    }
    setIsBusy(false)
  }
  const byKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    void send()
  }
  const submitted = (event: Event) => {
    event.preventDefault()
    void send()
  }
  return h('form', { class: 'composer', onSubmit: submitted }, [
    h('textarea', {
      rows: 3,
      'aria-label': label,
      placeholder: `${label} (Enter sends, Shift+Enter begins a new line)`,
      value: text,
      onInput: onText(setText),
      onKeyDown: byKey,
    }),
    files.length > 0 &&
      h(
        'ul',
        { class: 'files', 'aria-label': 'Files' },
        files.map((file) =>
          h('li', { key: file.name }, [
            `${lineText(file.name, 60)}, ${Math.ceil(file.size / 1_000)} kB `,
            button('Remove', () => setFiles(files.filter((one) => one !== file)), { class: 'quiet' }),
          ]),
        ),
      ),
    alertOf(problem),
    h('div', { class: 'acts' }, [
      h('button', { type: 'submit', class: 'primary', disabled: isBusy }, submit),
      h('label', { class: 'button' }, [
        'Attach files',
        h('input', {
          type: 'file',
          multiple: true,
          class: 'hidden',
          onChange: ({ currentTarget }: Event) => {
            const input = currentTarget as HTMLInputElement
            const all = [...files, ...(input.files ?? [])]
            const isTooMuch = all.reduce((sum, { size }) => sum + size, 0) > mostBytes
            setProblem(isTooMuch ? 'A message may have 35 MB of files. Attach smaller ones.' : undefined)
            if (!isTooMuch) setFiles(all)
            input.value = ''
          },
        }),
      ]),
    ]),
  ])
}

type Block = Extract<Extract<Prompt, { readonly role: 'user' }>['content'], readonly unknown[]>[number]

function textOf(text: string): readonly Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

/** Returns a file as the block of a message; the studio judges its type and size. */
async function blockOf(file: File): Promise<Block> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768))
  const data = btoa(binary)
  return file.type.startsWith('image/')
    ? { type: 'image', data, mediaType: file.type }
    : { type: 'file', data, mediaType: file.type === '' ? 'application/octet-stream' : file.type, name: file.name }
}
