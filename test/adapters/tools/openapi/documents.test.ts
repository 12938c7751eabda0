import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { loopbackServer } from '../../../../proof/support/loopback-server.ts'
import { documentOf, opened } from '../../../../proof/support/open-api.ts'
import { get, refused, servers, small, textSource } from '../../../../proof/support/open-api-documents.ts'
import { temporaryFolder } from '../../../../proof/support/temporary-folder.ts'
import { type OpenApiOptions, openApiToolset } from '../../../../src/adapters/tools/openapi.ts'

/** A message as it is, or what it matches. */
const said = (message: string | RegExp) => (typeof message === 'string' ? message : expect.stringMatching(message))

describe('TOOL-05 documents', () => {
  test('TOOL-05 reads a document from a text, a file or an address, as JSON or YAML by its first character', async () => {
    const folder = await temporaryFolder()
    const yaml = stringify(JSON.parse(small))
    for (const content of [small, yaml, `\uFEFF\n  ${small}`, `# a comment\n${yaml}`]) {
      const file = join(folder, 'petstore')
      writeFileSync(file, content)
      await using server = await loopbackServer((response) => response.end(content))
      for (const source of [{ text: content }, { file }, { url: server.origin }, { url: new URL(server.origin) }]) {
        expect(await refused({ source })).toEqual(['opened', 'op'])
      }
    }
  })

  const bad: readonly [string, Partial<OpenApiOptions>, string, string | RegExp][] = [
    [
      'no JSON',
      textSource('{"openapi": "3.1.0",'),
      'bad_document',
      /^The text looks like JSON, but cannot be parsed: /,
    ],
    ['a list', textSource('[]'), 'bad_document', 'The text is JSON, but not an object. Expected an OpenAPI document.'],
    ['no YAML', textSource('a: [b\nc: }'), 'bad_document', /^The text is neither JSON nor YAML that can be read: /],
    [
      'plain words',
      textSource('Not found'),
      'bad_document',
      'The text is YAML, but not an object. Expected an OpenAPI document.',
    ],
    ['nothing', textSource(''), 'bad_document', 'The text is YAML, but not an object. Expected an OpenAPI document.'],
    ['a page', textSource('<html><body>Sign in</body></html>'), 'bad_document', /The text is /],
    [
      'Swagger 2.0',
      textSource({ swagger: '2.0', paths: {} }),
      'bad_document',
      'The text is of version "2.0". Expected OpenAPI 3.0 or 3.1, as "openapi": "3.1.0". Convert the document first.',
    ],
    ['a version to come', textSource({ openapi: '4.0.0' }), 'bad_document', /^The text is of version "4.0.0"\./],
    ['no version', textSource({ paths: {} }), 'bad_document', /^The text has no version\./],
    ['a version that is not a text', textSource({ openapi: 3.1 }), 'bad_document', /^The text is of version 3.1\./],
    [
      'paths that are none',
      textSource({ openapi: '3.0.0', servers, paths: [] }),
      'bad_document',
      /^The paths of the document are not an object\./,
    ],
    [
      'no file',
      { source: { file: '/nowhere/petstore.json' } },
      'unreachable',
      /^The file \/nowhere\/petstore\.json cannot be read: ENOENT/,
    ],
    ['a folder', { source: { file: '/' } }, 'unreachable', /^The file \/ cannot be read: EISDIR/],
    [
      'nobody there',
      { source: { url: 'http://127.0.0.1:9/spec.json?token=se-cret' } },
      'unreachable',
      /^The document at http:\/\/127\.0\.0\.1:9\/spec\.json\?… cannot be read: (?!.*se-cret)/,
    ],
    [
      'too large a text',
      { ...textSource(small), maxDocumentBytes: 20 },
      'bad_document',
      'The text has more than 20 bytes. Give a smaller one, or raise maxDocumentBytes.',
    ],
    [
      'no server',
      textSource(documentOf({})),
      'no_server',
      'The document names no server that can be found. Give option baseUrl, an http or https address.',
    ],
    [
      'a relative server',
      textSource(documentOf({}, { servers: [{ url: '/v1' }] })),
      'no_server',
      /names no server that can be found/,
    ],
    [
      'a server of files',
      textSource(documentOf({}, { servers: [{ url: 'file:///etc' }] })),
      'no_server',
      /names a server of file:/,
    ],
    [
      'a variable without a default',
      textSource(documentOf({}, { servers: [{ url: 'https://{x}/' }] })),
      'no_server',
      /names no server/,
    ],
  ]
  test.each(bad)('TOOL-05 refuses a document that is %s', async (_, options, code, message) => {
    expect(await refused(options)).toEqual([code, said(message)])
  })

  test.each(['source', 'reference'])(
    'TOOL-05 refuses a document that is a pipe without a writer as the %s',
    async (way) => {
      const folder = await temporaryFolder()
      const pipe = join(folder, 'pipe.json')
      execFileSync('mkfifo', [pipe])
      const file = join(folder, 'main.json')
      writeFileSync(file, documentOf({ '/a': { $ref: 'pipe.json#/item' } }, { servers }))
      expect(await refused({ source: { file: way === 'source' ? pipe : file }, externalRefs: { folder } })).toEqual([
        'unreachable',
        `The file ${pipe} is not a regular file, but a pipe, a socket or a device. Give a file.`,
      ])
    },
  )

  test.skipIf(!existsSync('/dev/zero'))('TOOL-05 refuses an endless document, and one without a size', async () => {
    expect((await refused({ source: { file: '/dev/zero' } }))[1]).toContain('is not a regular file')
    expect(await refused({ source: { file: '/proc/self/maps' }, maxDocumentBytes: 100 })).toEqual([
      'bad_document',
      'The file /proc/self/maps has more than 100 bytes. Give a smaller one, or raise maxDocumentBytes.',
    ])
  })

  test('TOOL-05 reads a document of 200,000 slashes, or of 40,000 keys in YAML, in one pass', async () => {
    const url = `https://x.example/${'/'.repeat(200_000)}`
    const slashes = [{ url: `${url}a` }, { url }].map((server) =>
      documentOf({ '/a': get('op') }, { servers: [server] }),
    )
    for (const text of slashes) expect(await refused(textSource(text))).toEqual(['opened', 'op'])
    const keys = Array.from({ length: 40_000 }, (_, index) => `  k${index}: x`).join('\n')
    expect(await refused(textSource(`${stringify(JSON.parse(small))}x-keys:\n${keys}`))).toEqual(['opened', 'op'])
  })

  test('TOOL-05 refuses a document whose server has many long variables before it fills them in', async () => {
    const variables = { a: { default: 'x'.repeat(1_000_000) } }
    const text = documentOf({}, { servers: [{ url: `https://${'{a}'.repeat(100_000)}/`, variables }] })
    expect((await refused(textSource(text)))[0]).toBe('no_server')
  })

  test('TOOL-05 refuses a document at an address if the server answers with an error, too much, or without end', async () => {
    await using down = await loopbackServer((response) => response.writeHead(503).end('no'))
    expect(await refused({ source: { url: `${down.origin}/spec` } })).toEqual([
      'unreachable',
      `The document at ${down.origin}/spec cannot be read: the server answered 503.`,
    ])
    await using large = await loopbackServer((response) => response.end('x'.repeat(2_000)))
    expect(await refused({ source: { url: large.origin }, maxDocumentBytes: 1_000 })).toEqual([
      'bad_document',
      `The document at ${large.origin}/ has more than 1000 bytes. Give a smaller one, or raise maxDocumentBytes.`,
    ])
  })

  const bombs: readonly [string, string][] = [
    [
      'aliases',
      [
        'a: &a [x,x,x,x,x,x,x,x,x]',
        ...'bcdefghi'.split('').map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(9)}]`),
      ].join('\n'),
    ],
    ['nesting', `a: ${'['.repeat(20_000)}`],
    ['keys that are maps', '? {a: b}\n: c'],
  ]
  test.each(bombs)('TOOL-05 a YAML document cannot be a bomb of %s', async (_, bomb) => {
    expect((await refused(textSource(`openapi: 3.1.0\n${bomb}`)))[0]).toBe('bad_document')
  })

  test('TOOL-05 reads a document of 1,000 operations, once for all users', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'large.json')
    const paths = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`/a${index}`, get(`op${index}`)]))
    writeFileSync(file, documentOf(paths, { servers }))
    const toolset = openApiToolset({ source: { file } })
    const [first, second] = await Promise.all([toolset.tools(), toolset.tools()])
    expect(first).toHaveLength(1_000)
    expect(second).toBe(first)
    await toolset.close()
    await expect(toolset.tools()).rejects.toMatchObject({ code: 'closed' })
  })

  test("TOOL-05 reads a document as large as a large site's: 14 MB, 1,200 operations, schemas that refer to each other", async () => {
    const description = 'What this is for, and what is to be known of it. '.repeat(120)
    const schemas = Object.fromEntries(
      Array.from({ length: 1_200 }, (_, index) => [
        `S${index}`,
        { description, properties: { next: { $ref: `#/components/schemas/S${(index + 7) % 1_200}` } } },
      ]),
    )
    const operation = (index: number) => ({
      operationId: `op/${index}`,
      description,
      requestBody: { content: { 'application/json': { schema: { $ref: `#/components/schemas/S${index}` } } } },
    })
    const paths = Object.fromEntries(
      Array.from({ length: 1_200 }, (_, index) => [`/a${index}`, { post: operation(index) }]),
    )
    const large = documentOf(paths, { servers, components: { schemas } })
    expect(large.length).toBeGreaterThan(14_000_000)
    await using set = await opened(large)
    expect(set.tools).toHaveLength(1_200)
    expect(JSON.stringify(set.schema('op_7')).length).toBeLessThan(70_000)
  })

  test('TOOL-05 reads an unreadable document again on the next request', async () => {
    let isUp = false
    await using server = await loopbackServer((response) => response.writeHead(isUp ? 200 : 500).end(small))
    const toolset = openApiToolset({ source: { url: server.origin } })
    await expect(toolset.tools()).rejects.toMatchObject({ code: 'unreachable' })
    isUp = true
    expect(await toolset.tools()).toHaveLength(1)
    await toolset.close()
  })
})
