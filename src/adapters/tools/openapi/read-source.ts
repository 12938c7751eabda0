import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { thrownText } from '../../../core/domain/text/thrown-text.ts'
import type { GuardedClient } from '../guarded-fetch.ts'
import { isInside } from '../confine-path.ts'
import { OpenApiError } from './openapi-error.ts'
import type { ExternalRefs, OpenApiSource } from './options.ts'

/** The dependencies of reading a document. */
export interface ReadParts {
  readonly client: GuardedClient
  readonly maxBytes: number
  readonly signal: AbortSignal
}

interface SourceText {
  readonly text: string
  /** The base of relative references; a text has none. */
  readonly address?: string
  /** The document as errors name it, without what may be secret. */
  readonly place: string
}

/** Reads the document of a toolset. */
export async function readSource(source: OpenApiSource, parts: ReadParts): Promise<SourceText> {
  if ('text' in source) {
    // A character has at most three bytes for each of its units.
    const mayBeLarge = source.text.length * 3 > parts.maxBytes
    if (mayBeLarge && Buffer.byteLength(source.text) > parts.maxBytes) throw tooLarge('The text', parts.maxBytes)
    return { text: source.text, place: 'The text' }
  }
  if ('file' in source) {
    const path = resolve(source.file)
    const place = `The file ${path}`
    return { text: await readFile(path, place, parts), address: pathToFileURL(path).href, place }
  }
  return await readUrl(new URL(source.url), parts)
}

/** Reads another document to which a document refers, if that is allowed. */
export async function readExternal(document: string, allowed: ExternalRefs, parts: ReadParts): Promise<SourceText> {
  const url = new URL(document)
  if (url.protocol === 'file:') return await readExternalFile(fileURLToPath(url), allowed, parts)
  const isAllowed = /^https?:$/.test(url.protocol) && allowed.origins?.includes(url.origin) === true
  if (isAllowed) return await readUrl(url, parts)
  throw refused(shown(url), `externalRefs: { origins: [${JSON.stringify(url.origin)}] }`)
}

async function readExternalFile(path: string, { folder }: ExternalRefs, parts: ReadParts): Promise<SourceText> {
  if (folder === undefined) throw refused(path, "externalRefs: { folder: '…' }")
  const place = `The file ${path}`
  let real: string
  let root: string
  try {
    real = await realpath(path)
    root = await realpath(folder)
  } catch (cause) {
    throw unreachable(`${place} cannot be read: ${thrownText(cause)}`, cause)
  }
  if (!isInside(root, real)) throw refused(path, 'a folder in externalRefs that contains it')
  return { text: await readFile(real, place, parts), address: pathToFileURL(path).href, place }
}

/** Only regular files: a pipe without a writer would never open, and a device would never end. */
async function readFile(path: string, place: string, { maxBytes, signal }: ReadParts): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = await file.stat()
      if (!stats.isFile() && !stats.isDirectory()) {
        throw unreachable(`${place} is not a regular file, but a pipe, a socket or a device. Give a file.`)
      }
      if (stats.size > maxBytes) throw tooLarge(place, maxBytes)
      // Files that the system generates have no size.
      const pieces: Buffer[] = []
      for await (const piece of file.createReadStream({ autoClose: false, start: 0, end: maxBytes, signal })) {
        pieces.push(piece as Buffer)
      }
      const bytes = Buffer.concat(pieces)
      if (bytes.length > maxBytes) throw tooLarge(place, maxBytes)
      return bytes.toString('utf8')
    } finally {
      await file.close()
    }
  } catch (cause) {
    if (cause instanceof OpenApiError) throw cause
    throw unreachable(`${place} cannot be read: ${thrownText(cause)}`, cause)
  }
}

async function readUrl(url: URL, { client, maxBytes, signal }: ReadParts): Promise<SourceText> {
  const place = `The document at ${shown(url)}`
  const headers = { accept: 'application/json, application/yaml;q=0.9, */*;q=0.8' }
  const response = await client.request(url, { method: 'GET', headers, signal, maxBytes }).catch((cause: unknown) => {
    signal.throwIfAborted()
    throw unreachable(`${place} cannot be read: ${thrownText(cause)}`, cause)
  })
  const { status, bytes, isCut } = response
  if (status < 200 || status > 299) throw unreachable(`${place} cannot be read: the server answered ${status}.`)
  if (isCut) throw tooLarge(place, maxBytes)
  return { text: new TextDecoder().decode(bytes), address: url.href, place }
}

/** Without user, query and fragment, which may hold secrets. */
function shown({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === '' ? '' : '?…'}`
}

function refused(place: string, wish: string): OpenApiError {
  const message = `The document refers to another one, ${place}, which is not allowed. Put everything into one document, or give ${wish}.`
  return new OpenApiError('external_ref', message)
}

function unreachable(message: string, cause?: unknown): OpenApiError {
  return new OpenApiError('unreachable', message, { cause })
}

function tooLarge(place: string, maxBytes: number): OpenApiError {
  const message = `${place} has more than ${maxBytes} bytes. Give a smaller one, or raise maxDocumentBytes.`
  return new OpenApiError('bad_document', message)
}
