import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { loopbackServer } from '../../../../proof/support/loopback-server.ts'
import { documentOf, opened } from '../../../../proof/support/open-api.ts'
import { get, refused, servers, textSource } from '../../../../proof/support/open-api-documents.ts'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'

describe('TOOL-05 references to other documents', () => {
  const other = {
    components: {
      parameters: { q: { name: 'q', in: 'query', schema: { $ref: '#/components/schemas/Q' } } },
      schemas: { Q: { type: 'integer' } },
    },
  }
  const referring = (reference: string) =>
    documentOf({ '/a': get('op', { parameters: [{ $ref: `${reference}#/components/parameters/q` }] }) }, { servers })

  test('TOOL-05 refuses external references unless they are allowed, and sends no request', async () => {
    await using server = await loopbackServer((response) => response.end(JSON.stringify(other)))
    expect(await refused(textSource(referring(`${server.origin}/other.json`)))).toEqual([
      'external_ref',
      `The document refers to another one, ${server.origin}/other.json, which is not allowed. Put everything into one document, or give externalRefs: { origins: ["${server.origin}"] }.`,
    ])
    expect(await refused(textSource(referring('file:///etc/passwd')))).toEqual([
      'external_ref',
      "The document refers to another one, /etc/passwd, which is not allowed. Put everything into one document, or give externalRefs: { folder: '…' }.",
    ])
    expect(await refused(textSource(referring('other.json')))).toEqual([
      'external_ref',
      'The document refers to "other.json#/components/parameters/q", and has no address to find it from. Put everything into one document.',
    ])
    expect(server.seen).toEqual([])
  })

  test('TOOL-05 follows references to an allowed origin, but not to a private address', async () => {
    await using server = await loopbackServer((response) => response.end(JSON.stringify(other)))
    const options = {
      ...textSource(referring(`${server.origin}/other.json`)),
      externalRefs: { origins: [server.origin] },
    }
    expect((await refused(options))[1]).toContain('is at a private address, which is refused')
    await using set = await opened('', { ...options, privateOrigins: [server.origin] })
    expect(set.schema('op')['properties']).toEqual({ q: { $ref: '#/$defs/Q' } })
    expect(set.schema('op')['$defs']).toEqual({ Q: { type: 'integer' } })
    expect(server.seen).toHaveLength(1)
  })

  test('TOOL-05 follows references within an allowed folder, and no link out of it', async () => {
    const folder = await temporaryFolder()
    const root = realpathSync(folder)
    const put = (name: string, content: string) => {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), content)
      return join(root, name)
    }
    put('api/parts/other.yaml', stringify(other))
    put('outside.yaml', stringify(other))
    symlinkSync(join(root, 'outside.yaml'), join(root, 'api/link.yaml'))
    const externalRefs = { folder: join(root, 'api') }
    const open = (reference: string) =>
      refused({ source: { file: put('api/main.json', referring(reference)) }, externalRefs })
    expect(await open('parts/other.yaml')).toEqual(['opened', 'op'])
    for (const reference of ['../outside.yaml', 'link.yaml', `file://${root}/outside.yaml`]) {
      expect((await open(reference))[0]).toBe('external_ref')
    }
    expect((await open('parts/lost.yaml'))[0]).toBe('unreachable')
  })

  test('TOOL-05 follows references of operations, and resolves nested ones from their own document', async () => {
    const folder = await temporaryFolder()
    const put = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content))
    mkdirSync(join(folder, 'operations'))
    put('operations/pay.json', {
      operationId: 'pay',
      parameters: [{ $ref: '../parts.json#/dry' }],
      requestBody: { content: { 'application/json': { schema: { $ref: 'schemas.json#/Payment' } } } },
    })
    put('operations/schemas.json', { Payment: { type: 'integer' } })
    put('parts.json', { dry: { name: 'dry', in: 'query', schema: { type: 'boolean' } } })
    const id = { name: 'id', in: 'path', required: true, schema: { $ref: '#/components/schemas/Id' } }
    const item = { parameters: [id], post: { $ref: 'operations/pay.json' } }
    const rest = { servers, components: { schemas: { Id: { type: 'string' } } } }
    writeFileSync(join(folder, 'main.json'), documentOf({ '/a/{id}': item }, rest))
    const source = { file: join(folder, 'main.json') }
    expect((await refused({ source }))[0]).toBe('external_ref')
    await using set = await opened('', { source, externalRefs: { folder } })
    const { properties, $defs } = set.schema('pay')
    expect(Object.keys(Object(properties))).toEqual(['id', 'dry', 'body'])
    expect($defs).toEqual({ Id: { type: 'string' }, Payment: { type: 'integer' } })
  })

  test('TOOL-05 follows references in schemas too, in circles between documents', async () => {
    const folder = await temporaryFolder()
    const put = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content))
    put('a.json', { Node: { properties: { next: { $ref: 'b.json#/Node' } } } })
    put('b.json', { Node: { properties: { back: { $ref: './a.json#/Node' } } } })
    const body = { content: { 'application/json': { schema: { $ref: 'a.json#/Node' } } } }
    writeFileSync(
      join(folder, 'main.json'),
      documentOf({ '/a': { post: { operationId: 'op', requestBody: body } } }, { servers }),
    )
    await using set = await opened('', {
      source: { file: join(folder, 'main.json') },
      externalRefs: { folder: folder },
    })
    expect(set.schema('op')).toMatchObject({
      properties: { body: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: { properties: { next: { $ref: '#/$defs/Node_2' } } },
        Node_2: { properties: { back: { $ref: '#/$defs/Node' } } },
      },
    })
  })
})
