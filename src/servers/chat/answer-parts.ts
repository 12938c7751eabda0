import type { AssistantMessage, MessageDelta } from '../../ports.ts'

/** A part of an answer as a client shows it: a text, a thought, or a call in progress. */
export interface AnswerPart {
  readonly kind: MessageDelta['type']
  /** The id of a call; for another part its own. */
  readonly id: string
  /** The tool of a call; empty for another part. */
  readonly name: string
}

/** A change of an answer's parts. */
export type PartMove =
  | { readonly type: 'begun'; readonly part: AnswerPart }
  | { readonly type: 'grown'; readonly part: AnswerPart; readonly delta: string }
  /** `given` are the arguments of a call, once the answer is whole; `unsaid` if no piece of them was sent. */
  | { readonly type: 'ended'; readonly part: AnswerPart; readonly given?: unknown; readonly unsaid?: boolean }
  /** All sent pieces of this answer are no longer valid. */
  | { readonly type: 'dropped' }

/** Names the parts of an answer. */
export interface NameParts {
  /** The id of a text or a thought, by the parts before it. */
  readonly idOf: (kind: AnswerPart['kind'], before: readonly AnswerPart[]) => string
  /** A guess at the id that a call will have, by the one its provider gave. */
  readonly callIdOf: (id: string) => string
}

interface ToldPart extends AnswerPart {
  text: string
  isOpen: boolean
}

/**
 * The parts of one answer, sent while it is written and again when it is stored. The stored answer counts: pieces that
 * do not lead to it are dropped, for example after a failed attempt, missed pieces or a change by a plugin.
 */
export class AnswerParts {
  readonly #idOf: NameParts['idOf']
  readonly #callIdOf: NameParts['callIdOf']
  #told: ToldPart[] = []

  constructor({ idOf, callIdOf }: NameParts) {
    this.#idOf = idOf
    this.#callIdOf = callIdOf
  }

  /** An attempt begins; the pieces of an earlier one are dropped. */
  begin(): readonly PartMove[] {
    if (this.#told.length === 0) return []
    this.#told = []
    return [{ type: 'dropped' }]
  }

  grow(delta: MessageDelta): readonly PartMove[] {
    const { part, moves } = delta.type === 'toolCall' ? this.#call(delta) : this.#prose(delta.type)
    return [...moves, ...grown(part, delta.delta)]
  }

  /** The stored answer. */
  settle(message: AssistantMessage): readonly PartMove[] {
    const wanted = partsOf(message)
    const leads = this.#told.every((told, at) => isBeginning(told, wanted[at]))
    const moves: PartMove[] = leads ? [] : [...this.begin()]
    for (const [at, { kind, id, name, text, given }] of wanted.entries()) {
      const told =
        this.#told[at] ?? this.#begun(kind, kind === 'toolCall' ? id : this.#idOf(kind, this.#told), name, moves)
      if (kind !== 'toolCall') moves.push(...grown(told, text.slice(told.text.length)))
      if (kind === 'toolCall') moves.push({ ...ended(told), given, unsaid: told.text === '' })
      else if (told.isOpen) moves.push(ended(told))
    }
    return moves
  }

  /** Closes the open parts at the end. */
  close(): readonly PartMove[] {
    return this.#told.filter(({ isOpen, kind }) => isOpen && kind !== 'toolCall').map(ended)
  }

  #call({ id, name }: Extract<MessageDelta, { type: 'toolCall' }>): Growing {
    const callId = this.#callIdOf(id)
    const known = this.#told.find((part) => part.kind === 'toolCall' && part.id === callId)
    if (known !== undefined) return { part: known, moves: [] }
    const moves: PartMove[] = [...this.close()]
    return { part: this.#begun('toolCall', callId, name, moves), moves }
  }

  #prose(kind: 'text' | 'thinking'): Growing {
    const last = this.#told.at(-1)
    if (last?.kind === kind && last.isOpen) return { part: last, moves: [] }
    const moves: PartMove[] = [...this.close()]
    return { part: this.#begun(kind, this.#idOf(kind, this.#told), '', moves), moves }
  }

  #begun(kind: AnswerPart['kind'], id: string, name: string, moves: PartMove[]): ToldPart {
    const part = { kind, id, name, text: '', isOpen: true }
    this.#told.push(part)
    moves.push({ type: 'begun', part })
    return part
  }
}

interface Growing {
  readonly part: ToldPart
  readonly moves: readonly PartMove[]
}

function grown(part: ToldPart, delta: string): readonly PartMove[] {
  if (delta === '') return []
  part.text += delta
  return [{ type: 'grown', part, delta }]
}

function ended(part: ToldPart): Extract<PartMove, { type: 'ended' }> {
  part.isOpen = false
  return { type: 'ended', part }
}

interface WantedPart extends AnswerPart {
  readonly text: string
  readonly given?: unknown
}

/** Joins neighbouring texts, as in a stream. */
function partsOf({ content }: AssistantMessage): readonly WantedPart[] {
  const parts: WantedPart[] = []
  for (const block of content) {
    if (block.type === 'toolCall') {
      const { callId = block.id, name, arguments: given } = block
      parts.push({ kind: 'toolCall', id: callId, name, text: '', given })
      continue
    }
    const text = block.type === 'text' ? block.text : block.thinking
    const last = parts.at(-1)
    if (text === '') continue
    if (last?.kind === block.type) parts[parts.length - 1] = { ...last, text: last.text + text }
    else parts.push({ kind: block.type, id: '', name: '', text })
  }
  return parts
}

function isBeginning(told: ToldPart, wanted: WantedPart | undefined): boolean {
  if (wanted?.kind !== told.kind) return false
  if (told.kind === 'toolCall') return wanted.id === told.id && wanted.name === told.name
  return wanted.text.startsWith(told.text)
}
