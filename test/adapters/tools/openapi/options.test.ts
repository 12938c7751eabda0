import { describe, expect, test } from 'vitest'
import { documentOf, opened } from '../../../../proof/support/open-api.ts'
import { get, refused, servers, small } from '../../../../proof/support/open-api-documents.ts'
import { createAgent } from '../../../../src/index.ts'
import { scripted } from '../../../../src/adapters/providers/scripted.ts'
import { type OpenApiOptions, openApiToolset } from '../../../../src/adapters/tools/openapi.ts'

describe('TOOL-05 options', () => {
  const bad: readonly [Partial<OpenApiOptions>, string][] = [
    [{ source: {} as never }, 'Option source is refused. Expected { file }, { url } or { text }.'],
    [{ source: undefined as never }, 'Option source is refused. Expected { file }, { url } or { text }.'],
    [{ source: { file: 'a', text: 'b' } }, 'Option source is refused. Expected { file }, { url } or { text }.'],
    [{ source: { text: 7 } as never }, 'Option source is refused. Expected a text in { file } or { text }.'],
    [{ source: { url: 'ftp://x.example' } }, 'Option source.url is refused. Expected an http or https address.'],
    [
      { source: { url: 'https://user:pass-word@x.example' } },
      'Option source.url is refused. It has a user name or a password. Use the option auth or headers for credentials.',
    ],
    [{ baseUrl: 'x.example' }, 'Option baseUrl is refused. Expected an http or https address.'],
    [
      { baseUrl: 'https://to-ken@x.example' },
      'Option baseUrl is refused. It has a user name or a password. Use the option auth or headers for credentials.',
    ],
    [
      { baseUrl: 'https://x.example?token=se-cret' },
      'Option baseUrl is refused. It has a query or a fragment. Give only the address; use the option auth or headers for credentials.',
    ],
    [{ auth: {} as never }, "Option auth is refused. Expected 'none', { bearer } or { header, key }."],
    [
      { auth: { bearer: '' } },
      'Option auth is refused. Expected the name of a header, and a text without line breaks that is not empty.',
    ],
    [
      { auth: { bearer: 'se-cret\r\nx: y' } },
      'Option auth is refused. Expected the name of a header, and a text without line breaks that is not empty.',
    ],
    [
      { auth: { header: 'a b', key: 'se-cret' } },
      'Option auth is refused. Expected the name of a header, and a text without line breaks that is not empty.',
    ],
    [
      { headers: { a: 'b\n' } },
      'Option headers is refused. Expected the name of a header, and a text without line breaks that is not empty.',
    ],
    [{ prefix: 'a.b' }, 'Option prefix is refused. Expected 1 to 32 of the characters A-Z, a-z, 0-9, "_" and "-".'],
    [
      { filter: { tags: 'pet' } as never },
      "Option filter is refused. Expected 'all', { ids: [...] }, { tags: [...] } or { pathPrefix: '/…' }.",
    ],
    [{ timeoutMs: 0 }, 'Option timeoutMs is refused. Expected a number above 0.'],
    [{ maxResultBytes: Number.NaN }, 'Option maxResultBytes is refused. Expected a number above 0.'],
    [
      { privateOrigins: ['http://x/'] },
      'Option origins is refused. "http://x/" is not an origin such as "https://example.com".',
    ],
  ]
  test.each(bad)(
    'TOOL-05 refuses the options %j when the toolset is made, without repeating a secret',
    async (options, message) => {
      expect(await refused(options)).toEqual(['bad_option', message])
      expect(message).not.toMatch(/se-cret|pass-word|to-ken/)
    },
  )

  const paths = {
    '/pets': { get: { operationId: 'list', tags: ['pet'] }, post: { operationId: 'add', tags: ['pet', 'write'] } },
    '/shops/{id}': get('shop/of one'),
    '/pet': get('one'),
  }
  const filters: readonly [OpenApiOptions['filter'], string, string?][] = [
    ['all', 'list,add,shop_of_one,one'],
    [{ ids: ['one', 'add'] }, 'add,one'],
    [{ ids: ['shop/of one'] }, 's__shop_of_one', 's'],
    [{ tags: ['write'] }, 'add'],
    [{ tags: ['write', 'pet'] }, 'p__list,p__add', 'p'],
    [{ pathPrefix: '/pets' }, 'list,add'],
    [{ pathPrefix: '/pet' }, 'list,add,one'],
  ]
  test.each(filters)('TOOL-05 filter %j selects %s', async (filter, names, prefix) => {
    await using set = await opened(documentOf(paths, { servers }), {
      filter: filter ?? 'all',
      ...(prefix === undefined ? {} : { prefix }),
    })
    expect(set.tools.map(({ name }) => name).join()).toBe(names)
    expect(set.warnings).toEqual([])
  })

  test('SVC-02 each tool keeps its id in the document', async () => {
    await using set = await opened(documentOf(paths, { servers }), { prefix: 'x' })
    expect(Object.fromEntries(set.tools.map(({ name, sourceName }) => [name, sourceName]))).toEqual({
      x__list: 'list',
      x__add: 'add',
      x__shop_of_one: 'shop/of one',
      x__one: 'one',
    })
  })

  test('SVC-02 adds a hash to ids that become one name, and leaves out a repeated id', async () => {
    const alike = { '/a': get('a/b'), '/b': get('a.b'), '/c': get('a_b'), '/d': get('a_b') }
    await using set = await opened(documentOf(alike, { servers }))
    expect(set.tools.map(({ name, sourceName }) => [sourceName, name])).toEqual([
      ['a/b', expect.stringMatching(/^a_b_[0-9a-f]{10}$/)],
      ['a.b', expect.stringMatching(/^a_b_[0-9a-f]{10}$/)],
      ['a_b', 'a_b'],
    ])
    expect(set.warnings).toEqual([
      'Toolset "openapi": Operation "a_b" at GET /d is left out: another one has the same operationId.',
    ])
  })

  test('SVC-02 runs operations whose ids differ after the 64th character, or after a long prefix', async () => {
    const ids = ['1', '2'].map((end) => `${'x'.repeat(64)}${end}`)
    const text = documentOf({ '/a': get(ids[0]), '/b': get(ids[1]) }, { servers })
    for (const prefix of ['a', 'p'.repeat(32)]) {
      const toolset = openApiToolset({ source: { text }, prefix })
      await using agent = createAgent({ name: 'a', model: scripted(['Bye']), tools: [toolset] })
      expect(await agent.run('Hi')).toMatchObject({ text: 'Bye' })
    }
  })

  test('TOOL-05 refuses options that name missing operations', async () => {
    const source = { text: documentOf(paths, { servers }) }
    expect(await refused({ source, filter: { ids: ['lost', 'one'] } })).toEqual([
      'unknown_operation',
      'Option filter names operations the document does not have: lost. It has: list, add, shop/of one, one.',
    ])
    expect(await refused({ source, rules: { gone: {} } })).toEqual([
      'unknown_operation',
      'Option rules names operations the document does not have: gone. It has: list, add, shop/of one, one.',
    ])
  })

  test('TOOL-05 reports a filter that selects nothing', async () => {
    await using set = await opened(small, { filter: { tags: ['x'] } })
    expect(set.warnings).toEqual(['Toolset "openapi": No operation became a tool. Filter: {"tags":["x"]}.'])
  })

  test('TOOL-05 rules win over the defaults of the method', async () => {
    const methods = ['get', 'head', 'put', 'delete', 'post', 'patch', 'options', 'trace']
    const item = Object.fromEntries(methods.map((method) => [method, { operationId: method }]))
    const rules = {
      post: { effects: 'idempotent' as const, needs: 'approval' as const, description: 'Mine.' },
      get: { effects: 'once' as const },
    }
    const effects = async (options: object) => {
      await using set = await opened(documentOf({ '/a': item }, { servers }), options)
      return set.tools.map(
        ({ name, effects: own, needs, description }) => `${name} ${own} ${String(needs ?? '-')} ${description}`,
      )
    }
    expect(await effects({})).toEqual([
      'get none - GET /a',
      'put idempotent - PUT /a',
      'post once - POST /a',
      'delete idempotent - DELETE /a',
      'options once - OPTIONS /a',
      'head none - HEAD /a',
      'patch once - PATCH /a',
      'trace once - TRACE /a',
    ])
    expect((await effects({ rules })).filter((line) => /^(get|post) /.test(line))).toEqual([
      'get once - GET /a',
      'post idempotent approval Mine.',
    ])
  })
})
