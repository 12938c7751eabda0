import { isRecord } from '../../../core/domain/text/json.ts'
import { valueAt } from '../json-pointer.ts'
import { OpenApiError } from './openapi-error.ts'

/** A part of a document, with the address of that document. */
export interface Located {
  readonly value: unknown
  /** The document's address; empty for the toolset's own. */
  readonly document: string
}

/** A part that is an object. */
export interface LocatedObject extends Located {
  readonly value: Readonly<Record<string, unknown>>
}

/** Thrown if a reference leads to a document that is not loaded yet. */
export class MissingDocument extends Error {
  readonly document: string
  constructor(document: string) {
    super(`The document ${document} is not loaded.`)
    this.document = document
  }
}

const mostHops = 50

/** The document of a toolset, and the loaded documents to which it refers. */
export class Documents {
  readonly #loaded = new Map<string, Readonly<Record<string, unknown>>>()
  readonly #followed = new Map<string, LocatedObject>()
  readonly #address: string | undefined

  /** `address` is what relative references start from; a text has none. */
  constructor(root: Readonly<Record<string, unknown>>, address?: string) {
    this.#loaded.set('', root)
    this.#address = address
  }

  get root(): Readonly<Record<string, unknown>> {
    return this.#loaded.get('') ?? {}
  }

  add(document: string, parsed: Readonly<Record<string, unknown>>): void {
    this.#loaded.set(document, parsed)
  }

  /** Returns the target of a reference: the document, and the pointer in it. */
  target(reference: string, from: string): { readonly document: string; readonly pointer: string } {
    if (reference.startsWith('#')) return { document: from, pointer: reference.slice(1) }
    const [path = '', pointer = ''] = reference.split('#', 2)
    const base = from === '' ? this.#address : from
    const url = URL.parse(path, base)
    if (url === null) {
      throw new OpenApiError(
        'external_ref',
        `The document refers to ${JSON.stringify(reference.slice(0, 200))}, and has no address to find it from. Put everything into one document.`,
      )
    }
    const document = url.href === this.#address ? '' : url.href
    return { document, pointer }
  }

  /** Returns the value at a place, if there is one. Throws `MissingDocument`. */
  at(document: string, pointer: string): Located | undefined {
    const root = this.#loaded.get(document)
    if (root === undefined) throw new MissingDocument(document)
    const value = pointer === '' || pointer.startsWith('/') ? valueAt(root, pointer) : undefined
    return value === undefined ? undefined : { value, document }
  }

  /** The object of a part after its references are resolved; undefined if they are unresolved or circular. */
  resolve(part: Located): LocatedObject | undefined {
    const { value, document } = part
    if (!isRecord(value)) return undefined
    const reference = value['$ref']
    return typeof reference === 'string' ? this.#follow(reference, document) : { value, document }
  }

  #follow(reference: string, from: string): LocatedObject | undefined {
    const place = `${from} ${reference}`
    const known = this.#followed.get(place)
    if (known !== undefined) return known
    let found: Located | undefined
    for (let hops = 0, next = reference, document = from; hops < mostHops; hops++) {
      const target = this.target(next, document)
      found = this.at(target.document, target.pointer)
      if (found === undefined || !isRecord(found.value)) return undefined
      const again: unknown = found.value['$ref']
      if (typeof again !== 'string') {
        const object = { value: found.value, document: found.document }
        this.#followed.set(place, object)
        return object
      }
      next = again
      document = found.document
    }
    return undefined
  }
}
